/* SPDX-License-Identifier: MIT */
/* A user would lose what derives from the registry: scenarios, `weft list`, the schema, the manual,
 * for whichever algorithm has a slip in its table. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>
#include <weft/weft.h>

#include "lb-rig.h"
#include "must.h"

typedef void visit_fn(const struct weft_registry *registry, const struct weft_algo *algo);

static void
each_algo(visit_fn *visit)
{
    size_t count = 0;
    const struct weft_registry *registries = weft_registries(&count);
    ck_assert_uint_eq(count, 8);
    for (size_t i = 0; i < count; i++)
    {
        ck_assert_uint_ge(registries[i].count, 1);
        for (size_t k = 0; k < registries[i].count; k++)
        {
            visit(&registries[i], registries[i].algos[k]);
        }
    }
}

/* Lower case, digits and dashes. */
static bool
well_named(const char *name)
{
    const size_t length = strlen(name);
    return length > 0 && length <= 32 && name[0] != '-' && name[length - 1] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static bool
is_sentence(const char *doc)
{
    const size_t length = doc != NULL ? strlen(doc) : 0;
    return length > 3 && doc[length - 1] == '.' && strchr(doc, '\n') == NULL;
}

static bool
is_source(const char *source)
{
    return source != NULL && strlen(source) > 2;
}

/* The defaults; what must be given takes its least value. */
static void *
config_of(const struct weft_algo *algo)
{
    void *config = calloc(1, algo->config_size + 1);
    int err = weft_config_default(algo, config);
    for (size_t i = 0; i < algo->nparams && err == 0; i++)
    {
        const struct weft_param *p = &algo->params[i];
        ck_assert_msg(p->def != NULL || p->min != NULL, "%s %s", algo->name, p->name);
        err = p->def == NULL ? weft_param_parse(p, p->min, config) : 0;
    }
    ck_assert_msg(err == 0, "%s: %s", algo->name, weft_strerror(err));
    return config;
}

static void
check_description(const struct weft_registry *registry, const struct weft_algo *algo)
{
    ck_assert_msg(well_named(algo->name), "%s \"%s\"", registry->kind, algo->name);
    ck_assert_msg(is_sentence(algo->doc), "%s: \"%s\"", algo->name, algo->doc);
    ck_assert_msg(is_source(algo->source), "%s has no source", algo->name);
    ck_assert_ptr_eq(weft_find(registry->kind, algo->name), algo);
    ck_assert_ptr_eq(weft_registry_find(registry->kind), registry);
    for (size_t i = 0; i < registry->count && registry->algos[i] != algo; i++)
    {
        ck_assert_str_ne(registry->algos[i]->name, algo->name);
    }
}

START_TEST(every_algorithm_is_named_described_and_sourced)
{
    each_algo(check_description);
}
END_TEST

static void
check_param(const struct weft_algo *algo, size_t index)
{
    const struct weft_param *p = &algo->params[index];
    ck_assert_msg(well_named(p->name), "%s: \"%s\"", algo->name, p->name);
    ck_assert_msg(is_sentence(p->doc), "%s %s: \"%s\"", algo->name, p->name, p->doc);
    ck_assert_msg(is_source(p->source), "%s %s has no source", algo->name, p->name);
    ck_assert_str_ne(weft_type_name(p->type), "unknown");
    ck_assert_msg((p->choices != NULL) == (p->type == WEFT_CHOICE), "%s %s", algo->name, p->name);
    ck_assert_msg(p->offset % 8 == 0 && p->offset + 8 <= algo->config_size, "%s %s", algo->name,
                  p->name);
    for (size_t i = 0; i < index; i++)
    {
        ck_assert_str_ne(algo->params[i].name, p->name);
        ck_assert_msg(algo->params[i].offset != p->offset, "%s: %s and %s share a member",
                      algo->name, algo->params[i].name, p->name);
    }
}

static void
check_params(const struct weft_registry *registry, const struct weft_algo *algo)
{
    (void)registry;
    ck_assert((algo->params != NULL) == (algo->nparams > 0));
    for (size_t i = 0; i < algo->nparams; i++)
    {
        check_param(algo, i);
    }
}

START_TEST(every_parameter_is_well_formed)
{
    each_algo(check_params);
}
END_TEST

/* Reads @p text, writes it and reads that: the same value, and the same text again. */
static void
round_trip(const struct weft_algo *algo, const struct weft_param *p, const char *text)
{
    char *config = (char *)calloc(2, algo->config_size);
    char *again = config + algo->config_size;
    char written[64];
    char twice[64];
    int err = weft_param_parse(p, text, config);
    ck_assert_msg(err == 0, "%s %s=%s: %s", algo->name, p->name, text, weft_strerror(err));
    err = weft_param_format(p, config, written, sizeof(written));
    ck_assert_msg(err > 0, "%s %s=%s: %s", algo->name, p->name, text, weft_strerror(err));
    err = weft_param_parse(p, written, again);
    ck_assert_msg(err == 0, "%s %s=%s: %s", algo->name, p->name, written, weft_strerror(err));
    ck_assert_msg(memcmp(config, again, algo->config_size) == 0, "%s %s: %s became %s", algo->name,
                  p->name, text, written);
    weft_param_format(p, again, twice, sizeof(twice));
    ck_assert_str_eq(written, twice);
    free(config);
}

static void
round_trip_choices(const struct weft_algo *algo, const struct weft_param *p)
{
    const char *from = p->choices;
    size_t names = 0;
    while (*from != '\0')
    {
        char name[33] = "";
        const size_t length = strcspn(from, " ");
        ck_assert_msg(length >= 1 && length <= 32, "%s %s", algo->name, p->name);
        memcpy(name, from, length);
        ck_assert(well_named(name));
        round_trip(algo, p, name);
        names++;
        from += length + (from[length] == ' ');
    }
    ck_assert_uint_ge(names, 2);
}

static void
check_texts(const struct weft_registry *registry, const struct weft_algo *algo)
{
    (void)registry;
    for (size_t i = 0; i < algo->nparams; i++)
    {
        const struct weft_param *p = &algo->params[i];
        const char *const texts[] = {p->def, p->min, p->max};
        for (int k = 0; k < 3; k++)
        {
            if (texts[k] != NULL)
            {
                round_trip(algo, p, texts[k]);
            }
        }
        if (p->type == WEFT_CHOICE)
        {
            round_trip_choices(algo, p);
        }
    }
}

START_TEST(defaults_and_bounds_are_legal_and_read_back)
{
    each_algo(check_texts);
}
END_TEST

/* Checks values one step outside each bound, as the integer text of the base unit. */
static void
check_outside(const struct weft_algo *algo, const struct weft_param *p)
{
    static const char *const base_unit[] = {"ps", "B", "bps", ""};
    void *config = config_of(algo);
    char text[64];
    int64_t bound = 0;
    if (p->min != NULL && weft_param_parse(p, p->min, config) == 0)
    {
        memcpy(&bound, (const char *)config + p->offset, sizeof(bound));
        snprintf(text, sizeof(text), "%lld%s", (long long)bound - 1, base_unit[p->type]);
        ck_assert_msg(weft_param_parse(p, text, config) == WEFT_ERANGE, "%s %s=%s", algo->name,
                      p->name, text);
    }
    if (p->max != NULL && strcmp(p->max, "inf") != 0 && weft_param_parse(p, p->max, config) == 0)
    {
        memcpy(&bound, (const char *)config + p->offset, sizeof(bound));
        snprintf(text, sizeof(text), "%lld%s", (long long)bound + 1, base_unit[p->type]);
        ck_assert_msg(weft_param_parse(p, text, config) == WEFT_ERANGE, "%s %s=%s", algo->name,
                      p->name, text);
    }
    free(config);
}

static void
check_bounds(const struct weft_registry *registry, const struct weft_algo *algo)
{
    (void)registry;
    for (size_t i = 0; i < algo->nparams; i++)
    {
        if (algo->params[i].type <= WEFT_COUNT)
        {
            check_outside(algo, &algo->params[i]);
        }
    }
}

START_TEST(bounds_hold_to_the_last_unit)
{
    each_algo(check_bounds);
}
END_TEST

static void
check_presets(const struct weft_registry *registry, const struct weft_algo *algo)
{
    void *config = config_of(algo);
    const char *why = algo->check != NULL ? algo->check(config) : NULL;
    (void)registry;
    ck_assert_msg(why == NULL, "%s by default: %s", algo->name, why);
    free(config);
    for (size_t i = 0; i < algo->npresets; i++)
    {
        const struct weft_preset *preset = &algo->presets[i];
        ck_assert_msg(well_named(preset->name), "%s: \"%s\"", algo->name, preset->name);
        ck_assert_msg(is_sentence(preset->doc), "%s %s", algo->name, preset->name);
        ck_assert_msg(is_source(preset->source), "%s %s", algo->name, preset->name);
        config = config_of(algo);
        const int err = weft_config_preset(algo, config, preset->name);
        ck_assert_msg(err == 0, "%s %s: %s", algo->name, preset->name, weft_strerror(err));
        why = algo->check != NULL ? algo->check(config) : NULL;
        ck_assert_msg(why == NULL, "%s %s: %s", algo->name, preset->name, why);
        free(config);
    }
}

START_TEST(every_preset_applies_and_is_sound)
{
    each_algo(check_presets);
}
END_TEST

/* State with a fence behind it: an init that writes past the size it asked for is caught. */
#define FENCE 64

static void *
fenced(size_t size)
{
    unsigned char *state = (unsigned char *)malloc(size + FENCE);
    memset(state, 0xa5, size + FENCE);
    return state;
}

static void
check_fence(void *state, size_t size, const char *name)
{
    for (size_t i = 0; i < FENCE; i++)
    {
        if (((const unsigned char *)state)[size + i] != 0xa5)
        {
            ck_abort_msg("%s writes beyond its state", name);
        }
    }
    free(state);
}

/* 16 leaves, 16 spines, 16 hosts at each leaf. */
static void
shape_of_16x16(struct weft_clos *clos)
{
    const struct weft_topology_ops *ops = weft_topology_find("leaf-spine");
    void *config = config_of(&ops->algo);
    ck_assert_int_eq(ops->build(config, clos), 0);
    free(config);
}

START_TEST(balancers_fit_their_state_and_choose_a_candidate)
{
    const struct weft_registry *r = weft_registry_find("balancer");
    struct weft_clos clos;
    shape_of_16x16(&clos);
    const struct weft_site site = {.seed = 1,
                                   .switch_index = 3,
                                   .nports = 32,
                                   .tiers = 2,
                                   .up_ports = 16,
                                   .npaths = 16,
                                   .tclass = 1,
                                   .provides = WEFT_NEEDS_ALL,
                                   .port_rate = INT64_C(400000000000),
                                   .port_buffer = 2000000,
                                   .clos = &clos,
                                   .reader = &lb_quiet_ports};
    uint32_t queues[32] = {0};
    const struct weft_ports ports = {queues, NULL, 16, 16, 16};
    for (size_t i = 0; i < r->count; i++)
    {
        const struct weft_lb_ops *ops = weft_lb_find(r->algos[i]->name);
        void *config = config_of(&ops->algo);
        const size_t size = ops->state_size(config, &site);
        void *state = fenced(size);
        const size_t flow_size = ops->flow_size ? ops->flow_size(config) : 0;
        void *flow = fenced(flow_size);
        ck_assert_int_eq(ops->init(state, config, &site), 0);
        ck_assert(!ops->flow_size || ops->flow_init(flow, config) == 0);
        for (uint32_t psn = 0; psn < 1000; psn++)
        {
            struct weft_packet packet;
            uint32_t queue;
            memset(&packet, 0, sizeof(packet));
            packet.src = 3 * 16;
            packet.dst = 40;
            packet.psn = psn & WEFT_PSN_MASK;
            MUST(!ops->arrive ||
                 ops->arrive(state, flow, &packet, &queue, psn) == WEFT_ARRIVAL_FORWARD);
            const uint32_t port = ops->pick(state, &ports, &packet, 0);
            MUST(port >= 16 && port < 32);
            if (ops->leave)
            {
                ops->leave(state, &packet, port, psn);
            }
        }
        check_fence(flow, flow_size, ops->algo.name);
        check_fence(state, size, ops->algo.name);
        free(config);
    }
}
END_TEST

START_TEST(path_selectors_fit_their_states)
{
    const struct weft_registry *r = weft_registry_find("balancer");
    struct weft_clos clos;
    shape_of_16x16(&clos);
    const struct weft_path_site site = {.provides = WEFT_NEEDS_ALL,
                                        .seed = 1,
                                        .host = 3,
                                        .clos = &clos,
                                        .qp_bdp = 10,
                                        .dst = 40,
                                        .batch = 1};
    for (size_t i = 0; i < r->count; i++)
    {
        const struct weft_lb_ops *ops = weft_lb_find(r->algos[i]->name);
        if (ops->path == NULL)
        {
            continue;
        }
        void *config = config_of(&ops->algo);
        const size_t host_size = ops->path->host_size(config, &site);
        const size_t qp_size = ops->path->qp_size(config, &site);
        void *host = fenced(host_size);
        void *qp = fenced(qp_size);
        ck_assert_int_eq(ops->path->host_init(host, config, &site), 0);
        ck_assert_int_eq(ops->path->qp_init(qp, host, config, &site, 7), 0);
        for (uint32_t psn = 0; psn < 1000; psn++)
        {
            struct weft_packet packet;
            memset(&packet, 0, sizeof(packet));
            packet.psn = psn & WEFT_PSN_MASK;
            ops->path->data(qp, &packet, psn);
            packet.kind = WEFT_ACK;
            ops->path->reply(host, &packet);
        }
        check_fence(host, host_size, ops->algo.name);
        check_fence(qp, qp_size, ops->algo.name);
        free(config);
    }
}
END_TEST

START_TEST(transports_fit_their_state)
{
    const struct weft_registry *r = weft_registry_find("transport");
    for (size_t i = 0; i < r->count; i++)
    {
        const struct weft_transport_ops *ops = weft_transport_find(r->algos[i]->name);
        void *config = config_of(&ops->algo);
        const size_t rx_size = ops->rx_size(config);
        const size_t tx_size = ops->tx_size(config);
        void *rx = fenced(rx_size);
        void *tx = fenced(tx_size);
        ops->rx_init(rx, config, &(struct weft_transport_site){.first_psn = 0xffffff});
        ops->tx_init(tx, config, &(struct weft_transport_site){.first_psn = 0xffffff});
        ck_assert_uint_eq(ops->tx_una(tx), 0xffffff);
        ck_assert(!ops->tx_ready(tx) && ops->tx_deadline(tx) == WEFT_NEVER);
        for (uint32_t k = 0; k < 20000; k++)
        {
            struct weft_packet packet;
            struct weft_rx_verdict verdict;
            memset(&packet, 0, sizeof(packet));
            packet.psn = k & WEFT_PSN_MASK; /* the first one is missing: all the window fills */
            ops->rx_data(rx, &packet, 0, &verdict);
            MUST(verdict.epsn == 0xffffff);
        }
        check_fence(rx, rx_size, ops->algo.name);
        check_fence(tx, tx_size, ops->algo.name);
        free(config);
    }
}
END_TEST

START_TEST(congestion_controls_fit_their_state_and_start_below_line_rate)
{
    const struct weft_registry *r = weft_registry_find("congestion-control");
    const int64_t line = INT64_C(100000000000);
    const struct weft_cc_site site = {line, 1, 10000000, 4, 1500, 20};
    for (size_t i = 0; i < r->count; i++)
    {
        const struct weft_cc_ops *ops = weft_cc_find(r->algos[i]->name);
        void *config = config_of(&ops->algo);
        void *state = fenced(ops->state_size);
        ck_assert_uint_eq(ops->state_size % _Alignof(int64_t), 0); /* 4 on 32-bit x86 */
        ops->init(state, config, &site, 5);
        ck_assert(ops->rate(state, 5) > 0 && ops->rate(state, 5) <= line);
        check_fence(state, ops->state_size, ops->algo.name);
        free(config);
    }
}
END_TEST

START_TEST(topologies_are_built_from_their_defaults)
{
    const struct weft_registry *r = weft_registry_find("topology");
    for (size_t i = 0; i < r->count; i++)
    {
        const struct weft_topology_ops *ops = weft_topology_find(r->algos[i]->name);
        void *config = config_of(&ops->algo);
        struct weft_clos clos;
        const int code = ops->build(config, &clos);
        ck_assert_int_eq(code, ops->use && !ops->edges ? WEFT_EINVAL : 0); /* of a graph */
        ck_assert(code || clos.nhosts >= 2);
        free(config);
    }
}
END_TEST

/* Tables for workloads that take one. */
static const struct weft_table_flow some_flows[] = {{1000, 0, 3, 7}, {99, 5, 7, 3}, {1, 0, 7, 8}};
static const struct weft_table_wait some_waits[] = {{0, 1}, {0, 2}};
static const struct weft_table_size some_sizes[] = {{0, 0}, {1000, 0.5}, {1000000, 1}};

static void *
take_some(void *of, size_t bytes)
{
    (void)of;
    return malloc(bytes);
}

static void
give_some(void *of, void *memory)
{
    (void)of;
    free(memory);
}

/* A program of three ranks: a ring in which one sends twice. */
static struct weft_program
some_program(void)
{
    const struct weft_scratch memory = {take_some, give_some, NULL};
    struct weft_ops *ops = weft_ops_begin(&memory, 3, "line");
    struct weft_program program;
    for (uint32_t i = 0; i < 4; i++)
    {
        struct weft_op_spec op = {.amount = 1000 + i, .rank = i % 3, .peer = (i + 1) % 3};
        op.kind = WEFT_OP_SEND;
        weft_ops_add(ops, &op);
        op.rank = (i + 1) % 3;
        op.peer = i % 3;
        op.kind = WEFT_OP_RECV;
        weft_ops_add(ops, &op);
    }
    ck_assert_int_eq(weft_ops_pack(ops, &program, NULL), 0);
    return program;
}

START_TEST(workloads_write_what_they_announce)
{
    const struct weft_hosts hosts = {
        .n = 256, .per_tor = 16, .per_pod = 256, .rate = INT64_C(100000000000), .gpus = 8};
    struct weft_program program = some_program();
    const struct weft_table some_table = {some_flows, some_waits, some_sizes, 3, 2, 3, &program};
    const struct weft_registry *r = weft_registry_find("workload");
    for (size_t i = 0; i < r->count; i++)
    {
        const struct weft_workload_ops *ops = weft_workload_find(r->algos[i]->name);
        void *config = config_of(&ops->algo);
        struct weft_traffic_size n;
        ck_assert((ops->table == WEFT_TABLE_NONE) == (ops->use == NULL));
        if (ops->use)
        {
            ck_assert_int_eq(ops->size(config, &hosts, &n), WEFT_ERANGE); /* none was given */
            ops->use(config, &some_table);
        }
        const int err = ops->size(config, &hosts, &n);
        ck_assert_msg(err == 0, "%s: %s", ops->algo.name, weft_strerror(err));
        ck_assert(n.nmessages > 0 && n.nqps > 0 && n.ngroups > 0);
        const size_t messages_size = n.nmessages * sizeof(struct weft_message);
        const size_t next_size = n.nnext * sizeof(uint32_t);
        struct weft_message *messages = (struct weft_message *)fenced(messages_size);
        uint32_t *next = (uint32_t *)fenced(next_size);
        ck_assert_int_eq(ops->fill(config, &hosts, 1, 0, messages, next), 0);
        bool waits = false;
        uint32_t steps = 1;
        for (uint32_t m = 0; m < n.nmessages; m++)
        {
            waits = waits || messages[m].waits > 0;
            steps = messages[m].step >= steps ? messages[m].step + 1 : steps;
            MUST(!messages[m].barrier || (messages[m].step > 0 && messages[m].waits > 0));
            MUST(n.bytes == 0 || messages[m].bytes == n.bytes); /* costs are told from it */
            MUST(messages[m].bytes > 0 && messages[m].src != messages[m].dst);
            MUST(messages[m].qp < n.nqps && messages[m].first_next + messages[m].nnext <= n.nnext);
        }
        MUST(n.bytes == 0 || n.nmessages % n.nqps == 0);
        MUST(n.nsteps == (waits ? steps : 1)); /* steps.csv and its figures are told by it */
        check_fence(messages, messages_size, ops->algo.name);
        check_fence(next, next_size, ops->algo.name);
        free(config);
    }
    weft_program_release(&program);
}
END_TEST

START_TEST(unknown_names_are_not_found)
{
    ck_assert_ptr_null(weft_find("balancer", "nonsense"));
    ck_assert_ptr_null(weft_find("nonsense", "ecmp"));
    ck_assert_ptr_null(weft_registry_find(""));
    ck_assert_ptr_null(weft_lb_find("nic-sr")); /* another kind's */
}
END_TEST

START_TEST(a_misspelt_name_gets_a_suggestion)
{
    const struct weft_registry *lb = weft_registry_find("balancer");
    const struct weft_registry *transport = weft_registry_find("transport");
    ck_assert_str_eq(weft_nearest(lb, "themsi"), "themis");
    ck_assert_str_eq(weft_nearest(lb, "Themis"), "themis");
    ck_assert_str_eq(weft_nearest(lb, "ECMP"), "ecmp");
    ck_assert_str_eq(weft_nearest(lb, "rqs"), "rsq");
    ck_assert_str_eq(weft_nearest(transport, "nic_sr"), "nic-sr");
    ck_assert_ptr_null(weft_nearest(lb, "mangrove"));
    ck_assert_ptr_null(weft_nearest(lb, ""));
}
END_TEST

Suite *
registry_suite(void)
{
    Suite *suite = suite_create("registry");
    TCase *tcase = tcase_create("registry");
    tcase_add_test(tcase, every_algorithm_is_named_described_and_sourced);
    tcase_add_test(tcase, every_parameter_is_well_formed);
    tcase_add_test(tcase, defaults_and_bounds_are_legal_and_read_back);
    tcase_add_test(tcase, bounds_hold_to_the_last_unit);
    tcase_add_test(tcase, every_preset_applies_and_is_sound);
    tcase_add_test(tcase, balancers_fit_their_state_and_choose_a_candidate);
    tcase_add_test(tcase, path_selectors_fit_their_states);
    tcase_add_test(tcase, transports_fit_their_state);
    tcase_add_test(tcase, congestion_controls_fit_their_state_and_start_below_line_rate);
    tcase_add_test(tcase, topologies_are_built_from_their_defaults);
    tcase_add_test(tcase, workloads_write_what_they_announce);
    tcase_add_test(tcase, unknown_names_are_not_found);
    tcase_add_test(tcase, a_misspelt_name_gets_a_suggestion);
    suite_add_tcase(suite, tcase);
    return suite;
}
