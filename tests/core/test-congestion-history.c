/* SPDX-License-Identifier: MIT */
/* A user would lose PRIME's algorithms (prime, Alg. 1-2): entropies in another order, congested
 * paths that are taken, free ones that are not, or penalties that outlast their time. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "lb/congestion-history.h"
#include "must.h"

#define MAX_PORTS 16
#define MAX_PATHS 256

/* --- Alg. 1 and 2 once more, with arrays that are gone through for every packet --------------- */

struct model
{
    struct weft_rng rng;
    uint32_t parts;
    uint32_t ports[3];
    uint32_t order[3][MAX_PORTS];
    uint32_t counter[3];
    uint32_t penalty[3][MAX_PATHS]; /* [row]: of the paths, or of each part's ports */
    uint32_t rows;
    uint32_t paths;
    uint32_t exploring;
};

static void
model_shuffle(struct model *m, uint32_t part)
{
    for (uint32_t i = m->ports[part] - 1; i >= 1; i--)
    {
        const uint32_t j = weft_rng_below(&m->rng, i + 1);
        const uint32_t kept = m->order[part][i];
        m->order[part][i] = m->order[part][j];
        m->order[part][j] = kept;
    }
}

static void
model_begin(struct model *m, const struct weft_rng *rng, const uint32_t *ports, uint32_t parts,
            uint32_t explore, bool by_part)
{
    memset(m, 0, sizeof(*m));
    m->rng = *rng;
    m->parts = parts;
    m->rows = by_part ? parts : 1;
    m->paths = 1;
    m->exploring = explore;
    for (uint32_t i = 0; i < parts; i++)
    {
        m->ports[i] = ports[i];
        m->paths *= ports[i];
        for (uint32_t port = 0; port < ports[i]; port++)
        {
            m->order[i][port] = port;
        }
        model_shuffle(m, i);
    }
    MUST(m->paths <= MAX_PATHS);
}

/* Alg. 2: the ports of the next entropy, then the counters. */
static void
model_generate(struct model *m, uint32_t port[3])
{
    for (uint32_t i = 0; i < m->parts; i++)
    {
        port[i] = m->order[i][m->counter[i]];
    }
    for (uint32_t i = 0; i < m->parts; i++)
    {
        m->counter[i]++;
        if (m->counter[i] < m->ports[i])
        {
            return;
        }
        m->counter[i] = 0;
        model_shuffle(m, i);
    }
}

static uint32_t
model_path(const struct model *m, const uint32_t port[3])
{
    uint32_t path = 0;
    for (uint32_t i = m->parts; i-- > 0;)
    {
        path = path * m->ports[i] + port[i];
    }
    return path;
}

/* Values of a row. */
static uint32_t
model_values(const struct model *m, uint32_t row)
{
    return m->rows == 1 ? m->paths : m->ports[row];
}

/* A path's value in a row: its number, or its port. */
static uint32_t
model_value(const struct model *m, uint32_t path, uint32_t row)
{
    for (uint32_t i = 0; i < row; i++)
    {
        path /= m->ports[i];
    }
    return path % model_values(m, row);
}

static uint32_t
model_least(const struct model *m, uint32_t row)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < model_values(m, row); i++)
    {
        least = m->penalty[row][i] < m->penalty[row][least] ? i : least;
    }
    return least;
}

static bool
model_is_free(const struct model *m, uint32_t path)
{
    for (uint32_t row = 0; row < m->rows; row++)
    {
        if (m->penalty[row][model_value(m, path, row)] > 0)
        {
            return false;
        }
    }
    return true;
}

static bool
model_any_free(const struct model *m)
{
    for (uint32_t path = 0; path < m->paths; path++)
    {
        if (model_is_free(m, path))
        {
            return true;
        }
    }
    return false;
}

/* The path that is least penalized in every row. */
static uint32_t
model_least_path(const struct model *m)
{
    uint32_t path = 0;
    for (uint32_t row = m->rows; row-- > 0;)
    {
        path = path * model_values(m, row) + model_least(m, row);
    }
    return path;
}

/* Alg. 1: the path of the next packet. */
static uint32_t
model_send(struct model *m)
{
    uint32_t port[3];
    uint32_t path = model_least_path(m);
    if (m->exploring > 0 || model_any_free(m))
    {
        do
        {
            model_generate(m, port);
            path = model_path(m, port);
        } while (m->exploring == 0 && !model_is_free(m, path));
    }
    m->exploring -= m->exploring > 0;
    for (uint32_t row = 0; row < m->rows; row++)
    {
        for (uint32_t i = 0; i < model_values(m, row); i++)
        {
            m->penalty[row][i] -= m->penalty[row][i] > 0;
        }
    }
    return path;
}

/* --- what is tested: as a QP has it ----------------------------------------------------------- */

static struct
{
    struct weft_parts parts;
    struct weft_multipart m;
    struct weft_history h;
    uint32_t until[MAX_PATHS + 1];
    uint16_t order[3 * MAX_PORTS];
    struct weft_history_rows rows;
    uint32_t exploring;
} qp;

static void
begin(const struct weft_rng *rng, const uint32_t *ports, uint32_t parts, uint32_t explore,
      bool by_part)
{
    ck_assert_int_eq(weft_parts_init(&qp.parts, ports, parts), 0);
    ck_assert_uint_le(weft_parts_paths(&qp.parts), MAX_PATHS);
    qp.m.rng = *rng;
    weft_multipart_begin(&qp.m, &qp.parts, qp.order);
    memset(qp.until, 0xff, sizeof(qp.until));
    weft_history_begin(&qp.h);
    qp.rows = (struct weft_history_rows){.n = (uint8_t)(by_part ? parts : 1)};
    for (uint32_t i = 0; i < qp.rows.n; i++)
    {
        weft_history_add_row(&qp.h, qp.until, by_part ? ports[i] : weft_parts_paths(&qp.parts));
    }
    qp.exploring = explore;
    MUST(qp.until[weft_history_counts(&qp.h)] == UINT32_MAX); /* what lies behind is another's */
}

static uint16_t
send_one(void)
{
    const bool explores = qp.exploring > 0;
    qp.exploring -= explores;
    return weft_history_next(&qp.h, qp.until, qp.rows, explores, &qp.m, qp.order);
}

static const struct shape
{
    uint32_t parts;
    uint32_t ports[3];
} shapes[] = {
    {1, {1}},    {1, {8}},    {1, {5}},       {2, {4, 4}},    {2, {3, 4}},
    {2, {5, 2}}, {2, {1, 6}}, {3, {2, 2, 2}}, {3, {3, 2, 4}}, {3, {4, 5, 3}},
};
#define NSHAPES ((int)(sizeof shapes / sizeof shapes[0]))

static struct weft_rng
stream(uint64_t number)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 1, 1, number);
    return rng;
}

/* --- against the model ------------------------------------------------------------------------ */

/* A mark or a NACK of one of the paths; how often depends on the time. */
static void
feed_back(struct model *m, struct weft_rng *rng, uint32_t ecn, uint32_t nack, bool overrides)
{
    const uint32_t path = weft_rng_below(rng, m->paths);
    const uint32_t kind = weft_rng_below(rng, 4);
    const uint32_t packets = kind > 0 ? ecn : nack;
    const struct weft_entropy entropy = {.path = path, .label = weft_parts_label(&qp.parts, path)};
    for (uint32_t row = 0; row < m->rows; row++)
    {
        uint32_t *penalty = &m->penalty[row][model_value(m, path, row)];
        const uint32_t place = weft_history_place(&qp.h, qp.rows, row, &qp.parts, entropy);
        if (*penalty == 0 || (kind == 0 && overrides))
        {
            *penalty = packets;
            weft_history_penalize(&qp.h, qp.until, place, packets);
        }
    }
}

static void
compare_penalties(const struct model *m, uint32_t most)
{
    for (uint32_t row = 0; row < m->rows; row++)
    {
        for (uint32_t i = 0; i < model_values(m, row); i++)
        {
            const uint32_t penalty = weft_history_penalty(&qp.h, qp.until, qp.h.row[row].at + i);
            MUST(penalty == m->penalty[row][i] && penalty <= most);
        }
    }
}

START_TEST(packets_take_the_paths_of_a_naive_model)
{
    static const uint32_t oftens[] = {0, 60, 20, 8, 3, 1};
    const struct shape *s = &shapes[_i / 2];
    const bool by_part = _i % 2;
    struct weft_rng rng = stream(99);
    for (uint32_t round = 0; round < 12; round++)
    {
        const struct weft_rng own = stream(round);
        const uint32_t ecn = weft_rng_below(&rng, 40);
        const uint32_t nack = ecn + weft_rng_below(&rng, 100);
        struct model m;
        model_begin(&m, &own, s->ports, s->parts, 10 * round, by_part);
        begin(&own, s->ports, s->parts, 10 * round, by_part);
        for (uint32_t packet = 0; packet < 6000; packet++)
        {
            const uint32_t often = oftens[packet / 1000];
            const uint32_t path = model_send(&m);
            MUST(weft_parts_path(&qp.parts, send_one()) == path);
            for (uint32_t i = 0; often > 0 && i < 3 && weft_rng_below(&rng, often) == 0; i++)
            {
                feed_back(&m, &rng, ecn, nack, round % 2 == 0);
            }
            compare_penalties(&m, nack);
        }
    }
}
END_TEST

/* Counts begin anew after 2^31 packets; penalties do not notice. */
START_TEST(a_long_flow_is_no_different)
{
    const uint32_t ports[] = {3, 2};
    const struct weft_rng own = stream(3);
    struct weft_rng rng = stream(4);
    struct model m;
    const bool by_part = _i;
    model_begin(&m, &own, ports, 2, 0, by_part);
    begin(&own, ports, 2, 0, by_part);
    qp.h.sent = 2 * WEFT_MAX_PENALTY - 500;
    for (uint32_t packet = 0; packet < 2000; packet++)
    {
        MUST(weft_parts_path(&qp.parts, send_one()) == model_send(&m));
        feed_back(&m, &rng, 10, 40, true);
    }
    ck_assert_uint_eq(qp.h.sent, 1500);
    ck_assert_uint_eq(qp.until[by_part ? 5 : 6], UINT32_MAX);
}
END_TEST

/* --- worked examples -------------------------------------------------------------------------- */

/* Draws that a test chooses: the i-th is draw[i] of bound[i], and then always the last one of any
 * bound, by which Fisher-Yates leaves all as it is. */
struct script
{
    uint32_t n;
    uint32_t at;
    const uint32_t (*draws)[2];
};

static uint32_t
next_scripted(void *of, uint64_t number)
{
    struct script *s = of;
    (void)number;
    if (s->at == s->n)
    {
        return UINT32_MAX;
    }
    const uint32_t *draw = s->draws[s->at++];
    return (uint32_t)(((uint64_t)draw[0] * 2 + 1) * (UINT64_C(1) << 31) / draw[1]);
}

static void
begin_scripted(struct script *script, struct weft_random_source *source, const uint32_t *ports,
               uint32_t parts, uint32_t explore, bool by_part)
{
    struct weft_rng rng;
    *source = (struct weft_random_source){script, next_scripted};
    weft_rng_attach(&rng, source, 1);
    begin(&rng, ports, parts, explore, by_part);
}

static void
expect(const uint16_t *labels, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
    {
        ck_assert_uint_eq(send_one(), labels[i]);
    }
}

/* As figure 3: four up ports in an order, and after the last of them in another one. */
START_TEST(each_turn_has_an_order_of_its_own)
{
    /* 0123 -> 0321 -> 2301 -> 2301, then 2301 -> 2310 -> 2130 -> 1230. */
    static const uint32_t draws[][2] = {{1, 4}, {0, 3}, {1, 2}, {2, 4}, {1, 3}, {0, 2}};
    static const uint16_t labels[] = {2, 3, 0, 1, 1, 2, 3, 0, 1, 2, 3, 0};
    const uint32_t ports[] = {4};
    struct script script = {6, 0, draws};
    struct weft_random_source source;
    begin_scripted(&script, &source, ports, 1, 0, false);
    expect(labels, 12);
    ck_assert_uint_eq(script.at, 6);
}
END_TEST

/* As figure 5, three tiers: the aggregations' part steps when the ToRs' part has come to its end.
 * Four ports at each: the ToR's in bits 0 and 1, the aggregation's in bits 2 and 3. */
START_TEST(the_next_tiers_counter_steps_at_a_wrap)
{
    static const uint32_t draws[][2] = {
        {1, 4}, {0, 3}, {1, 2}, /* ToR: 2301 */
        {0, 4}, {2, 3}, {0, 2}, /* aggregation: 0123 -> 3120 -> 3120 -> 1320 */
        {2, 4}, {2, 3}, {0, 2}, /* ToR, second turn: 2301 -> 2310 -> 2310 -> 3210 */
    };
    static const uint16_t labels[] = {
        1 << 2 | 2, 1 << 2 | 3, 1 << 2 | 0, 1 << 2 | 1, 3 << 2 | 3, 3 << 2 | 2,
        3 << 2 | 1, 3 << 2 | 0, 2 << 2 | 3, 2 << 2 | 2, 2 << 2 | 1, 2 << 2 | 0,
        0 << 2 | 3, 0 << 2 | 2, 0 << 2 | 1, 0 << 2 | 0, 1 << 2 | 3,
    };
    const uint32_t ports[] = {4, 4};
    struct script script = {9, 0, draws};
    struct weft_random_source source;
    begin_scripted(&script, &source, ports, 2, 0, false);
    expect(labels, 17);
}
END_TEST

/* Alg. 1 with four paths always in the order 0123: a mark counts for three packets, a NACK for six.
 */
START_TEST(penalized_paths_are_passed_over)
{
    const uint32_t ports[] = {4};
    struct script script = {0, 0, NULL};
    struct weft_random_source source;
    begin_scripted(&script, &source, ports, 1, 2, false);
    expect((const uint16_t[]){0}, 1);
    weft_history_penalize(&qp.h, qp.until, 1, 3);
    weft_history_penalize(&qp.h, qp.until, 2, 6);
    expect((const uint16_t[]){1}, 1); /* the last one that explores */
    expect((const uint16_t[]){3, 0, 1, 3, 0, 1, 2, 3}, 8);
}
END_TEST

START_TEST(where_all_are_penalized_the_least_is_taken_and_nothing_steps)
{
    static const uint32_t penalties[] = {4, 3, 3, 9};
    const uint32_t ports[] = {4};
    struct script script = {0, 0, NULL};
    struct weft_random_source source;
    begin_scripted(&script, &source, ports, 1, 0, false);
    expect((const uint16_t[]){0, 1}, 2);
    for (uint32_t i = 0; i < 4; i++)
    {
        weft_history_penalize(&qp.h, qp.until, i, penalties[i]);
    }
    expect((const uint16_t[]){1, 1}, 2);
    weft_history_penalize(&qp.h, qp.until, 1, 9);
    expect((const uint16_t[]){2}, 1);
    ck_assert_uint_eq(qp.m.counter[0], 2);
    /* Path 2 is free again, and the next in turn; 0 is after one packet more. */
    expect((const uint16_t[]){2, 0, 2, 0}, 4);
}
END_TEST

/* Four ports at each of two tiers, in order: a mark on ToR port 1 and aggregation port 0 counts for
 * four packets in both. So ToR ports 0, 2 and 3 are left of the aggregation's port 1, and the whole
 * turn with its port 0 is passed over. */
START_TEST(where_parts_are_penalized_every_path_with_one_is_passed_over)
{
    const uint32_t ports[] = {4, 4};
    struct script script = {0, 0, NULL};
    struct weft_random_source source;
    begin_scripted(&script, &source, ports, 2, 0, true);
    expect((const uint16_t[]){0, 1}, 2);
    weft_history_penalize(&qp.h, qp.until, 1, 4);
    weft_history_penalize(&qp.h, qp.until, 4, 4);
    expect((const uint16_t[]){1 << 2 | 0, 1 << 2 | 2, 1 << 2 | 3, 2 << 2 | 0}, 4);
    expect((const uint16_t[]){2 << 2 | 1, 2 << 2 | 2, 2 << 2 | 3, 3 << 2 | 0}, 4); /* all decayed */
    /* No aggregation's port is free: its least is 2, ToRs' least is any without one, 0. */
    static const uint32_t penalties[] = {9, 8, 2, 7};
    for (uint32_t i = 0; i < 4; i++)
    {
        weft_history_penalize(&qp.h, qp.until, 4 + i, penalties[i]);
    }
    expect((const uint16_t[]){2 << 2 | 0, 2 << 2 | 0, 2 << 2 | 1}, 2);
}
END_TEST

Suite *congestion_history_suite(void);

Suite *
congestion_history_suite(void)
{
    Suite *suite = suite_create("congestion-history");
    TCase *t = tcase_create("congestion-history");
    tcase_add_loop_test(t, packets_take_the_paths_of_a_naive_model, 0, 2 * NSHAPES);
    tcase_add_loop_test(t, a_long_flow_is_no_different, 0, 2);
    tcase_add_test(t, each_turn_has_an_order_of_its_own);
    tcase_add_test(t, the_next_tiers_counter_steps_at_a_wrap);
    tcase_add_test(t, penalized_paths_are_passed_over);
    tcase_add_test(t, where_all_are_penalized_the_least_is_taken_and_nothing_steps);
    tcase_add_test(t, where_parts_are_penalized_every_path_with_one_is_passed_over);
    suite_add_tcase(suite, t);
    return suite;
}
