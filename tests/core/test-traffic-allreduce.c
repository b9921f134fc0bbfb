/* SPDX-License-Identifier: MIT */
/*
 * Allreduces that are no rings. If these fail, a rank sends on what it has not got, a collective
 * ends without every rank having every contribution, or a bound is one that a run can beat.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>
#include <weft/traffic.h>

#include "must.h"
#include "refused.h"
#include "traffic-rig.h"

Suite *traffic_allreduce_suite(void);

#define MAX_PIECES 32U

static struct weft_hosts hosts = {0, 4, 0};
static uint32_t ranks;

/* Contributions that each message carries: a bit for each host, piece by piece; 0: nothing of that
 * piece. */
static uint32_t (*carried)[MAX_PIECES];
static bool *delivered;

/* Whether a message carries a piece of the vector. */
typedef bool (*carries_fn)(const struct weft_message *m, uint32_t piece);

static void
choose(const char *name, const char *bytes, const char *groups)
{
    traffic_choose(name);
    traffic_set("bytes", bytes);
    traffic_set("groups", groups);
    traffic_set("placement", "blocked");
}

static void
teardown(void)
{
    traffic_forget();
    free(carried);
    free(delivered);
    carried = NULL;
    delivered = NULL;
}

static void
build(uint32_t nhosts)
{
    teardown();
    hosts.n = nhosts;
    hosts.per_pod = nhosts;
    traffic_build(&hosts, 0);
    carried = calloc(size.nmessages, sizeof *carried);
    delivered = calloc(size.nmessages, sizeof *delivered);
    ck_assert(carried && delivered);
}

/* Returns what a host has of a piece: its own and what has come in earlier steps. Nothing is added
 * twice: either some message brought the whole, or all are parts of it. */
static uint32_t
has(uint32_t host, uint32_t piece, uint32_t before)
{
    const uint32_t all = ((ranks < 32 ? 1U << ranks : 0U) - 1) << host / ranks * ranks;
    uint32_t sum = 1U << host;
    bool twice = false, whole = false;
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        if (delivered[i] && messages[i].dst == host && messages[i].step < before)
        {
            whole = whole || carried[i][piece] == all;
            twice = twice || (sum & carried[i][piece]) != 0;
            sum |= carried[i][piece];
        }
    }
    MUST(whole || !twice);
    return sum;
}

static void
release(uint32_t i, carries_fn carries, uint32_t npieces)
{
    const struct weft_message *m = &messages[i];
    for (uint32_t piece = 0; piece < npieces; piece++)
    {
        carried[i][piece] = carries(m, piece) ? has(m->src, piece, m->step) : 0;
    }
}

/* Delivers in a random order whatever may go; the end must be what an allreduce promises. */
static void
run(uint64_t stream, carries_fn carries, uint32_t npieces)
{
    uint32_t *waits = calloc(size.nmessages, sizeof *waits);
    uint32_t *ready = calloc(size.nmessages, sizeof *ready);
    uint32_t nready = 0, done = 0;
    struct weft_rng rng;
    weft_rng_seed(&rng, 9, 9, stream);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        waits[i] = messages[i].waits;
        if (waits[i] == 0)
        {
            release(i, carries, npieces);
            ready[nready++] = i;
        }
    }
    for (; nready > 0; done++)
    {
        const uint32_t k = weft_rng_below(&rng, nready);
        const struct weft_message *m = &messages[ready[k]];
        delivered[ready[k]] = true;
        ready[k] = ready[--nready];
        for (uint32_t s = 0; s < m->nnext; s++)
        {
            const uint32_t after = next[m->first_next + s];
            MUST(messages[after].src == m->dst && messages[after].step > m->step);
            if (--waits[after] == 0)
            {
                release(after, carries, npieces);
                ready[nready++] = after;
            }
        }
    }
    ck_assert_uint_eq(done, size.nmessages);
    for (uint32_t i = 0; i < hosts.n * npieces; i++)
    {
        const uint32_t host = i / npieces;
        const uint32_t all = ((ranks < 32 ? 1U << ranks : 0U) - 1) << host / ranks * ranks;
        ck_assert_uint_eq(has(host, i % npieces, UINT32_MAX), all);
    }
    free(waits);
    free(ready);
}

/* All messages of a QP join the same hosts, every QP has some, and steps are counted right. */
static void
check_graph(void)
{
    const struct weft_message **of_qp = calloc(size.nqps, sizeof *of_qp);
    uint32_t steps = 0, used = 0;
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        MUST(m->qp < size.nqps && m->group == m->src / ranks && m->group == m->dst / ranks);
        used += of_qp[m->qp] == NULL;
        of_qp[m->qp] = of_qp[m->qp] ? of_qp[m->qp] : m;
        MUST(of_qp[m->qp]->src == m->src && of_qp[m->qp]->dst == m->dst);
        MUST(m->first_next + m->nnext <= size.nnext && m->barrier == 0);
        steps = m->step >= steps ? m->step + 1 : steps;
    }
    ck_assert_uint_eq(used, size.nqps);
    ck_assert_uint_eq(steps, size.nsteps);
    free(of_qp);
}

/* --- halving and doubling --------------------------------------------------------------------- */

static uint32_t log_ranks;

static bool
of_half(const struct weft_message *m, uint32_t piece)
{
    const bool back = m->step >= log_ranks;
    const uint32_t d = back ? 1U << (m->step - log_ranks) : ranks >> (m->step + 1);
    const uint32_t keeper = (back ? m->src : m->dst) % ranks;
    return (piece & ~(d - 1)) == (keeper & ~(d - 1));
}

static bool
of_all(const struct weft_message *m, uint32_t piece)
{
    (void)m;
    (void)piece;
    return true;
}

START_TEST(halving_and_doubling_leave_every_rank_with_every_contribution)
{
    for (log_ranks = 1; log_ranks <= 4; log_ranks++)
    {
        ranks = 1U << log_ranks;
        choose("allreduce-doubling", "16000B", "2");
        build(2 * ranks);
        check_graph();
        for (uint32_t i = 0; i < size.nmessages; i++)
        {
            uint32_t pieces = 0;
            for (uint32_t piece = 0; piece < ranks; piece++)
            {
                pieces += of_half(&messages[i], piece);
            }
            ck_assert_uint_eq(messages[i].bytes, 16000 / ranks * pieces);
        }
        run(log_ranks, of_half, ranks);
        traffic_set("halving", "off");
        build(2 * ranks);
        check_graph();
        run(log_ranks, of_all, 1);
    }
}
END_TEST

/* Thakur et al. 2005, four ranks: rank 0 sends 2/4 to rank 2 and 1/4 to rank 1, and the way back.
 * Recursive doubling: the whole vector to rank 1, then to rank 2. */
START_TEST(four_ranks_halve_and_double_as_in_the_paper)
{
    static const uint32_t to[] = {2, 1, 1, 2}, bytes[] = {500, 250, 250, 500};
    ranks = 4;
    choose("allreduce-doubling", "1000B", "1");
    build(4);
    ck_assert_uint_eq(size.nmessages, 16);
    ck_assert_uint_eq(size.nqps, 8);
    for (uint32_t s = 0; s < 4; s++)
    {
        ck_assert_uint_eq(messages[s].src, 0);
        ck_assert_uint_eq(messages[s].dst, to[s]);
        ck_assert_uint_eq(messages[s].bytes, bytes[s]);
        ck_assert_uint_eq(messages[s].waits, s);
    }
    traffic_set("halving", "off");
    build(4);
    ck_assert_uint_eq(size.nmessages, 8);
    ck_assert_uint_eq(messages[0].dst, 1);
    ck_assert_uint_eq(messages[1].dst, 2);
    ck_assert_uint_eq(messages[1].bytes, 1000);
}
END_TEST

/* The ranks that take part in the steps among a power of two. */
static uint32_t
number_of(uint32_t rank)
{
    const uint32_t folded = ranks - (1U << log_ranks);
    return rank < 2 * folded ? rank / 2 : rank - folded;
}

/* A message of the first or the last step carries everything, one of the others what it would among
 * as many ranks as take part. */
static bool
of_folded_half(const struct weft_message *m, uint32_t piece)
{
    struct weft_message inner = *m;
    const uint32_t all = ranks;
    if (m->step == 0 || m->step == size.nsteps - 1)
    {
        return true;
    }
    inner.step--;
    inner.src = number_of(m->src % ranks);
    inner.dst = number_of(m->dst % ranks);
    ranks = 1U << log_ranks;
    const bool carried_by = of_half(&inner, piece);
    ranks = all;
    return carried_by;
}

/* Else a user would have to leave hosts idle until a power of two is left. */
START_TEST(any_number_of_ranks_is_folded_to_a_power_of_two)
{
    for (ranks = 3; ranks <= 15; ranks++)
    {
        log_ranks = ranks < 4 ? 1 : ranks < 8 ? 2 : 3;
        if (ranks == 1U << log_ranks)
        {
            continue;
        }
        choose("allreduce-doubling", "16000B", "2");
        build(2 * ranks);
        check_graph();
        run(ranks, of_folded_half, 1U << log_ranks);
        traffic_set("halving", "off");
        build(2 * ranks);
        check_graph();
        run(ranks, of_all, 1);
    }
}
END_TEST

/* Six ranks, as MPICH has them: 0 to 1 and 2 to 3, then 1, 3, 4 and 5 among themselves, and back.
 */
START_TEST(six_ranks_are_four_and_two)
{
    static const uint32_t who[] = {1, 3, 4, 5}, far[] = {4, 5, 1, 3}, near[] = {3, 1, 5, 4};
    ranks = 6;
    choose("allreduce-doubling", "1000B", "1");
    build(6);
    ck_assert_uint_eq(size.nmessages, 4 * 4 + 4);
    ck_assert_uint_eq(size.nsteps, 6);
    for (uint32_t i = 0; i < 4; i++)
    {
        const struct weft_message *m = &messages[4 * i];
        ck_assert_uint_eq(m[0].src, who[i]);
        ck_assert_uint_eq(m[0].dst, far[i]);
        ck_assert_uint_eq(m[1].dst, near[i]);
        ck_assert_uint_eq(m[0].waits, i < 2);
        ck_assert_uint_eq(m[0].bytes, 500);
        ck_assert_uint_eq(m[1].bytes, 250);
        const struct weft_message *folded = &messages[16 + i];
        ck_assert_uint_eq(folded->bytes, 1000);
        ck_assert_uint_eq(folded->src, i < 2 ? 2 * i : 2 * (i - 2) + 1);
        ck_assert_uint_eq(folded->waits, i < 2 ? 0 : 5);
        ck_assert_uint_eq(folded->step, i < 2 ? 0 : 5);
    }
    hosts.n = 12;
    traffic_set("groups", "7");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "do not divide"));
}
END_TEST

/* --- two trees -------------------------------------------------------------------------------- */

static uint32_t chunks;

static bool
of_tree(const struct weft_message *m, uint32_t piece)
{
    const uint32_t tree = m->qp / (2 * (ranks - 1)) % 2;
    return piece == tree * chunks + (uint32_t)(m - messages) % chunks;
}

START_TEST(two_trees_leave_every_rank_with_every_contribution)
{
    for (ranks = 2; ranks <= 16; ranks++)
    {
        for (chunks = 1; chunks <= 3; chunks++)
        {
            choose("allreduce-tree", "6000B", "2");
            traffic_set("chunk", chunks == 1 ? "3000B" : chunks == 2 ? "2000B" : "1100B");
            build(2 * ranks);
            check_graph();
            run(ranks * 4 + chunks, of_tree, 2 * chunks);
        }
    }
}
END_TEST

/* NCCL's trees of 14 ranks, as drawn in its source: parents in the first one, by node; the second
 * is its mirror image. Every rank is an inner node at most once: no wire carries more than the
 * vector, up and down. */
START_TEST(the_trees_are_those_of_nccl)
{
    static const uint32_t parent[] = {0, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12};
    uint64_t sent[14] = {0};
    ranks = 14;
    choose("allreduce-tree", "1000000B", "1");
    build(14);
    ck_assert_uint_eq(size.nmessages, 2 * 2 * 13);
    ck_assert_uint_eq(size.nsteps, 8);
    for (uint32_t v = 1; v < 14; v++)
    {
        const struct weft_message *up = &messages[v - 1], *mirrored = &messages[26 + v - 1];
        ck_assert_uint_eq(up->src, v);
        ck_assert_uint_eq(up->dst, parent[v]);
        ck_assert_uint_eq(mirrored->src, 13 - v);
        ck_assert_uint_eq(mirrored->dst, 13 - parent[v]);
        ck_assert_uint_eq(up->bytes, 500000);
    }
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        sent[messages[i].src] += messages[i].bytes;
    }
    for (uint32_t rank = 0; rank < 14; rank++)
    {
        ck_assert_uint_le(sent[rank], 2000000);
    }
}
END_TEST

/* Rank 13 of 14 is a leaf behind the root's child 8, by way of 12: nothing else is farther. */
START_TEST(a_chunk_goes_up_step_by_step_and_down_again)
{
    ranks = 14;
    choose("allreduce-tree", "1000000B", "1");
    traffic_set("chunk", "100KB");
    build(14);
    ck_assert_uint_eq(size.nmessages, 2 * 26 * 5);
    ck_assert_uint_eq(size.bytes, 100000);
    ck_assert_uint_eq(messages[(8 - 1) * 5].step, 3);       /* 8 to 0 */
    ck_assert_uint_eq(messages[(13 + 8 - 1) * 5].step, 4);  /* 0 to 8 */
    ck_assert_uint_eq(messages[(13 + 13 - 1) * 5].step, 6); /* 12 to 13 */
    ck_assert_uint_eq(messages[(13 + 9 - 1) * 5].step, 7);  /* 10 to 9 */
}
END_TEST

/* --- direct ----------------------------------------------------------------------------------- */

static bool
of_owner(const struct weft_message *m, uint32_t piece)
{
    return piece == (m->step ? m->src : m->dst) % ranks;
}

START_TEST(two_alltoalls_leave_every_rank_with_every_contribution)
{
    for (ranks = 2; ranks <= 16; ranks++)
    {
        choose("allreduce-direct", "1000B", "2");
        build(2 * ranks);
        check_graph();
        ck_assert_uint_eq(size.nmessages, 2 * ranks * 2 * (ranks - 1));
        ck_assert_uint_eq(messages[0].bytes, (1000 + ranks - 1) / ranks);
        run(ranks, of_owner, ranks);
    }
}
END_TEST

/* --- by servers ------------------------------------------------------------------------------- */

static uint32_t gpus;

/* Chunk c of the vector is what GPU c - 1 of each server has reduced when the ring of its rail
 * begins; that ring divides it into a part for each server. */
static bool
of_server_or_rail(const struct weft_message *m, uint32_t piece)
{
    const uint32_t servers = ranks / gpus, rank = m->src % ranks, gpu = rank % gpus;
    const uint32_t chunk = piece / servers, part = piece % servers, server = rank / gpus;
    const uint32_t first = gpus - 1, last = first + 2 * (servers - 1);
    if (m->step < first)
    {
        return chunk == (gpu + gpus - m->step) % gpus;
    }
    if (m->step < last)
    {
        return chunk == (gpu + 1) % gpus &&
               part == (server + 2 * servers - (m->step - first)) % servers;
    }
    return chunk == (gpu + 1 + gpus - (m->step - last)) % gpus;
}

START_TEST(servers_and_rails_leave_every_rank_with_every_contribution)
{
    char number[8];
    for (gpus = 1; gpus <= 4; gpus++)
    {
        for (uint32_t servers = 1; servers <= 4; servers++)
        {
            ranks = gpus * servers;
            if (ranks < 2)
            {
                continue;
            }
            snprintf(number, sizeof number, "%u", gpus);
            choose("allreduce-hierarchical", "16000B", "2");
            traffic_set("gpus-per-server", number);
            build(2 * ranks);
            check_graph();
            ck_assert_uint_eq(size.nsteps, 2 * (gpus - 1) + 2 * (servers - 1));
            run(ranks, of_server_or_rail, ranks);
        }
    }
}
END_TEST

/* Two servers of four GPUs: three steps in a server, two between them, and three. */
START_TEST(eight_gpus_send_what_nccl_sends)
{
    static const uint32_t to[] = {1, 1, 1, 4, 4, 1, 1, 1}, waits[] = {0, 1, 1, 1, 2, 2, 1, 1};
    ranks = 8;
    hosts.gpus = 4;
    choose("allreduce-hierarchical", "1000000B", "1");
    build(8);
    ck_assert_uint_eq(size.nmessages, 8 * 8);
    ck_assert_uint_eq(size.nqps, 16);
    for (uint32_t step = 0; step < 8; step++)
    {
        ck_assert_uint_eq(messages[step].dst, to[step]);
        ck_assert_uint_eq(messages[step].bytes, to[step] == 4 ? 125000 : 250000);
        ck_assert_uint_eq(messages[step].waits, waits[step]);
    }
    ck_assert_uint_eq(messages[3 * 8].dst, 0); /* GPU 3's next one in its server */
    ck_assert_uint_eq(messages[7 * 8 + 3].dst, 3);
    hosts.gpus = 0;
    traffic_set("gpus-per-server", "3");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "part of a server"));
    traffic_set("gpus-per-server", "0");
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "expected gpus-per-server"));
    hosts.gpus = 2;
    hosts.n = 16;
    traffic_set("groups", "2");
    traffic_set("placement", "interleaved");
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "expected blocked"));
    hosts.gpus = 0;
}
END_TEST

/* --- all -------------------------------------------------------------------------------------- */

START_TEST(computing_delays_what_waits_and_nothing_else)
{
    static const char *const kinds[] = {"allreduce-ring", "allreduce-doubling", "allreduce-tree",
                                        "allreduce-direct", "allreduce-hierarchical"};
    for (uint32_t k = 0; k < 5; k++)
    {
        hosts.gpus = 4;
        choose(kinds[k], "1MB", "1");
        traffic_set("compute", "7us");
        traffic_set("start", "1ms");
        traffic_set("spread", "1ms");
        build(8);
        for (uint32_t i = 0; i < size.nmessages; i++)
        {
            const struct weft_message *m = &messages[i];
            ck_assert_uint_eq(m->delayed, m->waits > 0);
            MUST(m->delayed ? m->start == 7000000 : m->start >= 1000000000);
        }
    }
}
END_TEST

/* 100 Gb/s, 1 us, 1500 + 62 + 20 B, 4 links. */
START_TEST(bounds_are_those_of_the_steps)
{
    struct weft_bound_case of = {.wire = {1500, 62, 20, 64, INT64_C(100000000000), 1000000, 4},
                                 .pace = INT64_C(100000000000)};
    hosts.n = 16;
    choose("allreduce-doubling", "1MB", "4");
    const int64_t half = weft_message_bound(&of.wire, 500000);
    const int64_t quarter = weft_message_bound(&of.wire, 250000);
    ck_assert_int_eq(ops->bound(&config, &hosts, &of), 2 * half + 2 * quarter);
    traffic_set("compute", "5us");
    ck_assert_int_eq(ops->bound(&config, &hosts, &of), 2 * half + 2 * quarter + 3 * 5000000);
    traffic_set("halving", "off");
    ck_assert_int_eq(ops->bound(&config, &hosts, &of),
                     2 * weft_message_bound(&of.wire, 1000000) + 5000000);
    hosts.n = 12; /* three ranks: there and back, and one step in between */
    ck_assert_int_eq(ops->bound(&config, &hosts, &of),
                     3 * weft_message_bound(&of.wire, 1000000) + 2 * 5000000);
    hosts.n = 16;
    choose("allreduce-direct", "1MB", "4");
    const int64_t all = weft_alltoall_bound(&of.wire, 4, 1000000);
    ck_assert_int_eq(ops->bound(&config, &hosts, &of), 2 * all);
    of.partial = 1;
    ck_assert_int_eq(ops->bound(&config, &hosts, &of), -1);
    of.partial = 0;
    of.acked = 1;
    ck_assert_int_eq(ops->bound(&config, &hosts, &of),
                     all + weft_alltoall_acked_bound(&of.wire, 4, 250000, of.pace));
    ck_assert(!weft_workload_find("allreduce-tree")->bound);
}
END_TEST

Suite *
traffic_allreduce_suite(void)
{
    Suite *suite = suite_create("traffic-allreduce");
    TCase *tcase = tcase_create("traffic-allreduce");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, halving_and_doubling_leave_every_rank_with_every_contribution);
    tcase_add_test(tcase, four_ranks_halve_and_double_as_in_the_paper);
    tcase_add_test(tcase, any_number_of_ranks_is_folded_to_a_power_of_two);
    tcase_add_test(tcase, six_ranks_are_four_and_two);
    tcase_add_test(tcase, two_trees_leave_every_rank_with_every_contribution);
    tcase_add_test(tcase, the_trees_are_those_of_nccl);
    tcase_add_test(tcase, a_chunk_goes_up_step_by_step_and_down_again);
    tcase_add_test(tcase, two_alltoalls_leave_every_rank_with_every_contribution);
    tcase_add_test(tcase, servers_and_rails_leave_every_rank_with_every_contribution);
    tcase_add_test(tcase, eight_gpus_send_what_nccl_sends);
    tcase_add_test(tcase, computing_delays_what_waits_and_nothing_else);
    tcase_add_test(tcase, bounds_are_those_of_the_steps);
    suite_add_tcase(suite, tcase);
    return suite;
}
