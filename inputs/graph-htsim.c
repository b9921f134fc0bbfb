/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * htsim's .topo: the numbers of hosts, tiers and hosts of a pod, then for each tier of switches,
 * from the ToRs up, how many links each has down and up, how many of them in a row lead to the same
 * switch below (Bundle), and the rate and the delay of those below. A switch's own delay is shared
 * out to its links, a half to each, so that every way through it takes as long as in htsim.
 */
#include "graph-htsim.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <weft/clos.h>

#include "textbuf.h"

#define MOST_TIERS 3

/** Attributes: of the whole, then of each tier. */
enum key
{
    NODES,
    TIERS,
    POD_SIZE,
    TIER,
    RATE,
    RADIX_DOWN,
    RADIX_UP,
    DELAY,
    SWITCH_DELAY,
    OVERSUBSCRIBED,
    BUNDLE,
    QUEUE_UP,
    QUEUE_DOWN,
    KEYS,
};

static const struct
{
    const char *name;
    struct weft_param is;
} keys[KEYS] = {
    [NODES] = {"Nodes", INPUT_PARAM("Nodes", WEFT_COUNT, "1", "1048576")},
    [TIERS] = {"Tiers", INPUT_PARAM("Tiers", WEFT_COUNT, "2", "3")},
    [POD_SIZE] = {"Podsize", INPUT_PARAM("Podsize", WEFT_COUNT, "1", "1048576")},
    [TIER] = {"Tier", INPUT_PARAM("Tier", WEFT_COUNT, "0", "2")},
    [RATE] = {"Downlink_speed_Gbps", INPUT_PARAM("Downlink_speed_Gbps", WEFT_COUNT, "1", "8000")},
    [RADIX_DOWN] = {"Radix_Down", INPUT_PARAM("Radix_Down", WEFT_COUNT, "1", "8192")},
    [RADIX_UP] = {"Radix_Up", INPUT_PARAM("Radix_Up", WEFT_COUNT, "1", "8192")},
    [DELAY] = {"Downlink_Latency_ns",
               INPUT_PARAM("Downlink_Latency_ns", WEFT_COUNT, "1", "500000000")},
    [SWITCH_DELAY] = {"Switch_Latency_ns",
                      INPUT_PARAM("Switch_Latency_ns", WEFT_COUNT, "0", "500000000")},
    [OVERSUBSCRIBED] = {"Oversubscribed", INPUT_PARAM("Oversubscribed", WEFT_COUNT, "1", "8192")},
    [BUNDLE] = {"Bundle", INPUT_PARAM("Bundle", WEFT_COUNT, "1", "8192")},
    [QUEUE_UP] = {"Queue_up", INPUT_PARAM("Queue_up", WEFT_COUNT, "1", "4294967295")},
    [QUEUE_DOWN] = {"Queue_down", INPUT_PARAM("Queue_down", WEFT_COUNT, "1", "4294967295")},
};

/** A tier, and where a file says each of its values. */
struct tier
{
    int64_t is[KEYS];
    int line[KEYS]; /**< 0: nowhere */
};

struct topo
{
    struct table_lines *t;
    struct tier whole;
    struct tier tier[MOST_TIERS];
    int64_t now; /**< tier of the lines that come; -1: before all */
};

bool
graph_htsim_is(const char *bytes)
{
    bytes += strncmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (; *bytes; bytes += strcspn(bytes, "\n"), bytes += *bytes == '\n')
    {
        const char *word = bytes + strspn(bytes, " \t\r");
        if (*word != '#' && *word != '\n' && *word)
        {
            return (*word >= 'A' && *word <= 'Z') || (*word >= 'a' && *word <= 'z');
        }
    }
    return false;
}

/** Returns the attribute that a line begins with, or KEYS after an error. */
static enum key
key_of(struct topo *f)
{
    struct nearest near = nearest_start(f->t->word[0]);
    for (enum key k = 0; k < KEYS; k++)
    {
        if (strcasecmp(f->t->word[0], keys[k].name) == 0)
        {
            return k;
        }
        nearest_try(&near, keys[k].name);
    }
    input_error(f->t->from, f->t->line, "no attribute is called '%s'; expected %s%s%s",
                f->t->word[0], near.best ? "'" : "one of htsim's, as Nodes or Tier",
                near.best ? near.best : "", near.best ? "'" : "");
    return KEYS;
}

/** Reads one line. */
static bool
read_line(struct topo *f)
{
    const enum key k = key_of(f);
    int64_t value;
    if (k == KEYS)
    {
        return false;
    }
    if (f->t->n != 2)
    {
        return input_error(f->t->from, f->t->line, "%zu words; expected %s and a number", f->t->n,
                           keys[k].name);
    }
    if (!table_value(f->t, &keys[k].is, f->t->word[1], &value))
    {
        return false;
    }
    if (k == TIER)
    {
        f->now = value;
    }
    if ((k <= POD_SIZE) != (f->now < 0))
    {
        return input_error(f->t->from, f->t->line, "%s stands %s the first Tier; expected it %s",
                           keys[k].name, k <= POD_SIZE ? "behind" : "before",
                           k <= POD_SIZE ? "before" : "behind");
    }
    struct tier *of = f->now < 0 ? &f->whole : &f->tier[f->now];
    if (of->line[k])
    {
        return input_error(f->t->from, f->t->line,
                           "%s is said in line %d as well; expected it once", keys[k].name,
                           of->line[k]);
    }
    of->is[k] = value;
    of->line[k] = f->t->line;
    return true;
}

/** Whether an attribute is there. */
static bool
has(struct topo *f, const struct tier *of, enum key k)
{
    return of->line[k] ||
           input_error(f->t->from, of->line[TIER] ? of->line[TIER] : 1, "%s%s is missing",
                       keys[k].name, of->line[TIER] ? " of this tier" : "");
}

/** Whether there are as many tiers as are said. */
static bool
check_tiers(struct topo *f)
{
    bool good = has(f, &f->whole, NODES) && has(f, &f->whole, TIERS) && has(f, &f->whole, POD_SIZE);
    const int64_t tiers = f->whole.is[TIERS];
    for (int64_t i = 0; good && i < MOST_TIERS; i++)
    {
        const int line = f->tier[i].line[TIER];
        good = (i < tiers) == (line != 0) ||
               input_error(f->t->from, line ? line : f->whole.line[TIERS],
                           "%lld Tiers, and %s Tier %lld", (long long)tiers, line ? "a" : "no",
                           (long long)i);
    }
    return good;
}

/** Whether a tier has what it needs, and nothing that it cannot have. */
static bool
check_tier(struct topo *f, struct tier *of)
{
    const bool lowest = of->is[TIER] == 0, uppermost = of->is[TIER] + 1 == f->whole.is[TIERS];
    of->is[BUNDLE] = of->line[BUNDLE] ? of->is[BUNDLE] : 1;
    if (of->line[QUEUE_UP] || of->line[QUEUE_DOWN])
    {
        input_warning(f->t->from, of->line[of->line[QUEUE_UP] ? QUEUE_UP : QUEUE_DOWN],
                      "queues of tier %lld are not read: a scenario's <switch> has a buffer",
                      (long long)of->is[TIER]);
    }
    if (lowest && of->is[BUNDLE] > 1)
    {
        return input_error(f->t->from, of->line[BUNDLE],
                           "Bundle %lld of the links to hosts; expected 1",
                           (long long)of->is[BUNDLE]);
    }
    if (uppermost && of->line[RADIX_UP])
    {
        return input_error(f->t->from, of->line[RADIX_UP],
                           "Radix_Up of the uppermost tier; expected none");
    }
    return has(f, of, RATE) && has(f, of, RADIX_DOWN) && has(f, of, DELAY) &&
           (uppermost || has(f, of, RADIX_UP));
}

/** Whether all is there. */
static bool
check_keys(struct topo *f)
{
    bool good = check_tiers(f);
    for (int64_t i = 0; good && i < f->whole.is[TIERS]; i++)
    {
        good = check_tier(f, &f->tier[i]);
    }
    return good;
}

/** Whether @p a is divided by @p b; else it is an error of an attribute. */
static bool
divides(struct topo *f, const struct tier *of, enum key k, int64_t a, int64_t b, const char *what)
{
    return a % b == 0 || input_error(f->t->from, of->line[k] ? of->line[k] : of->line[TIER],
                                     "%s: %lld %s; expected a multiple of %lld", keys[k].name,
                                     (long long)a, what, (long long)b);
}

/** Whether a tier has the oversubscription that is said. */
static bool
check_share(struct topo *f, const struct tier *of, const struct tier *above)
{
    const int64_t down = of->is[RADIX_DOWN] * of->is[RATE], up = of->is[RADIX_UP] * above->is[RATE];
    return !of->line[OVERSUBSCRIBED] || down == up * of->is[OVERSUBSCRIBED] ||
           input_error(f->t->from, of->line[OVERSUBSCRIBED],
                       "Oversubscribed %lld: a switch of this tier has %lld Gbps down and %lld "
                       "Gbps up",
                       (long long)of->is[OVERSUBSCRIBED], (long long)down, (long long)up);
}

/** Switches of each kind. */
struct counts
{
    int64_t pods, tors, aggs; /**< the last two of a pod */
    int64_t cores;            /**< above each aggregation; 0: two tiers */
};

/** Whether hosts, links and rates can be shared out as is said. */
static bool
check_shares(struct topo *f)
{
    const struct tier *tor = &f->tier[0], *agg = &f->tier[1], *core = &f->tier[2];
    const int64_t nodes = f->whole.is[NODES], pod = f->whole.is[POD_SIZE];
    const bool three = f->whole.is[TIERS] == 3;
    return divides(f, &f->whole, NODES, nodes, pod, "hosts in pods") &&
           divides(f, &f->whole, POD_SIZE, pod, tor->is[RADIX_DOWN], "hosts at ToRs") &&
           divides(f, tor, RADIX_UP, tor->is[RADIX_UP], agg->is[BUNDLE], "links in bundles") &&
           check_share(f, tor, agg) && (!three || check_share(f, agg, core)) &&
           (!three ||
            divides(f, agg, RADIX_UP, agg->is[RADIX_UP], core->is[BUNDLE], "links in bundles"));
}

/** Whether a tier's links down are those to @p n switches or pods. */
static bool
check_radix(struct topo *f, const struct tier *of, int64_t n, const char *what)
{
    const int64_t links = n * of->is[BUNDLE];
    return of->is[RADIX_DOWN] == links ||
           input_error(f->t->from, of->line[RADIX_DOWN],
                       "Radix_Down %lld; expected %lld, the links to the %lld %s",
                       (long long)of->is[RADIX_DOWN], (long long)links, (long long)n, what);
}

/** Counts the switches, as far as the tiers fit together. */
static bool
count(struct topo *f, struct counts *n)
{
    const struct tier *tor = &f->tier[0], *agg = &f->tier[1], *core = &f->tier[2];
    const int64_t nodes = f->whole.is[NODES], pod = f->whole.is[POD_SIZE];
    const bool three = f->whole.is[TIERS] == 3;
    if (!check_shares(f))
    {
        return false;
    }
    n->pods = nodes / pod;
    n->tors = pod / tor->is[RADIX_DOWN];
    n->aggs = tor->is[RADIX_UP] / agg->is[BUNDLE];
    n->cores = three ? agg->is[RADIX_UP] / core->is[BUNDLE] : 0;
    if (!three && n->pods > 1)
    {
        return input_error(f->t->from, f->whole.line[POD_SIZE],
                           "Podsize %lld of two tiers; expected all %lld hosts in one pod",
                           (long long)pod, (long long)nodes);
    }
    return check_radix(f, agg, n->tors, three ? "ToRs of a pod" : "ToRs") &&
           (!three || check_radix(f, core, n->pods, "pods"));
}

/** Returns the delay of the links below a tier, ps. */
static int64_t
delay_of(const struct topo *f, int tier)
{
    const int64_t own = f->tier[tier].is[SWITCH_DELAY];
    const int64_t below = tier > 0 ? f->tier[tier - 1].is[SWITCH_DELAY] : 0;
    return 1000 * f->tier[tier].is[DELAY] + 500 * (own + below);
}

/** Fills the shape of the whole; false after an error. */
static bool
make_clos(struct topo *f, struct weft_clos *clos)
{
    struct counts n;
    if (!count(f, &n))
    {
        return false;
    }
    const struct weft_topology_ops *kind = weft_topology_find(n.cores ? "clos" : "leaf-spine");
    const struct
    {
        const char *two, *three;
        int64_t value;
    } params[] = {
        {NULL, "pods", n.pods},
        {"leaves", "tors-per-pod", n.tors},
        {"hosts-per-leaf", "hosts-per-tor", f->tier[0].is[RADIX_DOWN]},
        {"spines", "aggregations", n.aggs},
        {NULL, "cores", n.cores},
        {"parallel", "parallel", f->tier[1].is[BUNDLE]},
        {NULL, "core-parallel", f->tier[2].is[BUNDLE]},
        {"link-rate", "link-rate", f->tier[0].is[RATE] * 1000000000},
        {"fabric-rate", "fabric-rate", f->tier[1].is[RATE] * 1000000000},
        {NULL, "core-rate", f->tier[2].is[RATE] * 1000000000},
        {"link-delay", "link-delay", delay_of(f, 0)},
        {"fabric-delay", "fabric-delay", delay_of(f, 1)},
        {NULL, "core-delay", n.cores ? delay_of(f, 2) : 0},
    };
    OWNED void *config = xcalloc(1, kind->algo.config_size);
    int code = weft_config_default(&kind->algo, config);
    for (size_t i = 0; i < sizeof params / sizeof *params; i++)
    {
        const char *name = n.cores ? params[i].three : params[i].two;
        code = code < 0 || !name ? code
                                 : weft_config_set_int(&kind->algo, config, name, params[i].value);
    }
    code = code < 0 ? code : kind->build(config, clos);
    return code >= 0 ||
           input_error(f->t->from, 1, "this is no fabric of Weft's: %s", weft_strerror(code));
}

/** Fills the links and the names; htsim counts its cores aggregation by aggregation. */
static void
fill(struct graph_draft *g, const struct weft_clos *clos)
{
    g->nhosts = clos->nhosts;
    g->nswitches = clos->nswitches;
    g->names = xcalloc((size_t)g->nhosts + g->nswitches, sizeof *g->names);
    for (uint32_t i = 0; i < clos->nhosts; i++)
    {
        g->names[i] = xformat("%u", i);
    }
    for (uint32_t i = 0; i < clos->nswitches; i++)
    {
        const bool tor = i < clos->ntors, agg = !tor && i < clos->ntors + clos->naggs;
        const uint32_t core = i - clos->ntors - clos->naggs;
        g->names[clos->nhosts + i] =
            tor || agg ? xformat("%s%u", tor ? "LS" : "US", tor ? i : i - clos->ntors)
                       : xformat("CS%u", core / clos->up_agg + core % clos->up_agg * clos->up_tor);
    }
    for (uint64_t i = 0; i < clos->nlinks; i++)
    {
        struct weft_link link;
        weft_clos_link(clos, i, &link);
        const struct weft_graph_edge edge = {
            link.lower.index + (link.lower.is_host ? 0 : clos->nhosts),
            link.upper.index + clos->nhosts, link.rate, link.delay, false};
        graph_draft_add(g, &edge, 0, 1);
    }
}

bool
graph_htsim_parse(struct graph_draft *g)
{
    struct table_lines t;
    struct topo f = {.t = &t, .now = -1};
    struct weft_clos clos;
    table_lines_begin(&t, g->from, g->bytes, g->size);
    bool good = true;
    while (good && table_lines_next(&t))
    {
        good = read_line(&f);
    }
    good = good && !g->from->bad && check_keys(&f) && make_clos(&f, &clos);
    table_lines_end(&t);
    if (good && clos.nlinks > WEFT_GRAPH_LINKS)
    {
        good = input_error(g->from, 1, "%llu links; expected at most %u",
                           (unsigned long long)clos.nlinks, WEFT_GRAPH_LINKS);
    }
    if (good)
    {
        fill(g, &clos);
    }
    return good;
}
