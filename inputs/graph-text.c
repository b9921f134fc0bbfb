/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The topology.txt of HPCC's and ConWeave's simulators, which read it word by word: the numbers of
 * nodes, switches and links; the switches' ids, anywhere among those of the nodes; then for each
 * link its two ends, its rate, its delay and its error rate. Those of SimAI begin with the numbers
 * of nodes, GPUs of a server, NVSwitches, switches and links and the kind of GPU, and name the
 * NVSwitches before the switches.
 */
#include "graph-text.h"

#include <stdlib.h>
#include <string.h>

#include <weft/clos.h>
#include <weft/param.h>

#include "textbuf.h"

static const struct weft_param nodes_param =
    INPUT_PARAM("number of nodes", WEFT_COUNT, "2", "1114112");
static const struct weft_param switches_param =
    INPUT_PARAM("number of switches", WEFT_COUNT, "1", "65536");
static const struct weft_param gpus_param =
    INPUT_PARAM("number of GPUs of a server", WEFT_COUNT, "1", "1048576");
static const struct weft_param nvswitches_param =
    INPUT_PARAM("number of NVSwitches", WEFT_COUNT, "0", "65536");
static const struct weft_param others_param =
    INPUT_PARAM("number of switches", WEFT_COUNT, "0", "65536");
static const struct weft_param links_param =
    INPUT_PARAM("number of links", WEFT_COUNT, "1", "4194304");
static const struct weft_param node_param = INPUT_PARAM("node", WEFT_COUNT, "0", "1114111");
static const struct weft_param rate_param =
    INPUT_PARAM("rate of a link", WEFT_RATE, GRAPH_LEAST_RATE, GRAPH_MOST_RATE);
static const struct weft_param delay_param =
    INPUT_PARAM("delay of a link", WEFT_TIME, "0s", GRAPH_MOST_DELAY);
static const struct weft_param error_param =
    INPUT_PARAM("error rate of a link", WEFT_REAL, "0", "1");

/** Words of the first line. */
#define HPCC_WORDS  3
#define SIMAI_WORDS 6

/** Letters between words. */
#define BETWEEN " \t\r\v\f\n"

/** Longest word that can be a value. */
#define MOST_WORD 63

/** A node of a SimAI file. */
struct member
{
    bool is_nvswitch;
    uint32_t links; /**< of an NVSwitch and a GPU */
    uint32_t first; /**< GPU of an NVSwitch */
};

struct word_walk
{
    struct graph_draft *g;
    const char *at;
    int line; /**< of the word */
    char word[MOST_WORD + 1];
    uint32_t nodes;
    uint32_t nvswitches;
    uint32_t *index;        /**< [id]: node; at first IS_SWITCH for a switch */
    struct member *members; /**< [node] */
};

#define IS_SWITCH   0x80000000U
#define IS_NVSWITCH 0x40000000U

static bool
next_word(struct word_walk *w, const char *what)
{
    for (; *w->at && strchr(BETWEEN, *w->at); w->at++)
    {
        w->line += *w->at == '\n';
    }
    const size_t n = strcspn(w->at, BETWEEN);
    if (n == 0)
    {
        return input_error(w->g->from, w->line, "the file ends before the %s", what);
    }
    snprintf(w->word, sizeof w->word, "%.*s", (int)(n < MOST_WORD ? n : MOST_WORD), w->at);
    w->at += n;
    return n <= MOST_WORD ||
           input_error(w->g->from, w->line, "%s '%s...'; expected at most %d characters", what,
                       w->word, MOST_WORD);
}

static bool
next_value(struct word_walk *w, const struct weft_param *p, void *out)
{
    return next_word(w, p->name) && input_value(w->g->from, w->line, p, w->word, out);
}

static bool
next_node(struct word_walk *w, int64_t *id)
{
    if (!next_value(w, &node_param, id))
    {
        return false;
    }
    return *id < w->nodes || input_error(w->g->from, w->line,
                                         "node %lld; expected 0 to %u, as the first "
                                         "line announces %u nodes",
                                         (long long)*id, w->nodes - 1, w->nodes);
}

/** The ids of the switches; all others are hosts. Both are numbered in the order of their ids. */
static bool
read_switches(struct word_walk *w)
{
    struct graph_draft *g = w->g;
    for (uint32_t i = 0; i < g->nswitches; i++)
    {
        int64_t id;
        if (!next_node(w, &id))
        {
            return false;
        }
        if (w->index[id])
        {
            return input_error(g->from, w->line, "switch %lld is named twice", (long long)id);
        }
        w->index[id] = IS_SWITCH | (i < w->nvswitches ? IS_NVSWITCH : 0);
    }
    uint32_t hosts = 0, switches = 0;
    for (uint32_t id = 0; id < w->nodes; id++)
    {
        const bool sw = w->index[id] != 0, nv = (w->index[id] & IS_NVSWITCH) != 0;
        w->index[id] = sw ? g->nhosts + switches++ : hosts++;
        w->members[w->index[id]].is_nvswitch = nv;
        g->names[w->index[id]] = xformat("%u", id);
    }
    return true;
}

/** Notes a link between a GPU and an NVSwitch. */
static bool
join_server(struct word_walk *w, uint32_t gpu, uint32_t nvswitch)
{
    struct member *of = &w->members[nvswitch];
    of->first = of->links ? of->first : gpu;
    of->links++;
    w->members[gpu].links++;
    return of->first / w->g->gpus == gpu / w->g->gpus ||
           input_error(w->g->from, w->line,
                       "NVSwitch %s has GPUs %s and %s; expected GPUs of one server, as %u of them "
                       "in a row are",
                       w->g->names[nvswitch], w->g->names[of->first], w->g->names[gpu], w->g->gpus);
}

/** Whether NVSwitches have as many GPUs as servers, and all GPUs are at one or none is. */
static bool
check_servers(const struct word_walk *w)
{
    const struct graph_draft *g = w->g;
    bool good = true;
    for (uint32_t node = 0; node < w->nodes && w->nvswitches > 0 && good; node++)
    {
        const struct member *m = &w->members[node];
        good = node < g->nhosts
                   ? m->links > 0 || input_error(g->from, 1,
                                                 "GPU %s has no link to an NVSwitch; expected one, "
                                                 "as there are NVSwitches",
                                                 g->names[node])
                   : !m->is_nvswitch || m->links == g->gpus ||
                         input_error(g->from, 1,
                                     "GPUs of NVSwitch %s: %u; expected %u, as this line has of a "
                                     "server",
                                     g->names[node], m->links, g->gpus);
    }
    return good;
}

static bool
read_link(struct word_walk *w)
{
    int64_t a, b;
    struct weft_graph_edge edge = {0};
    double loss;
    if (!next_node(w, &a))
    {
        return false;
    }
    const int line = w->line;
    if (!next_node(w, &b) || !next_value(w, &rate_param, &edge.rate) ||
        !next_value(w, &delay_param, &edge.delay) || !next_value(w, &error_param, &loss))
    {
        return false;
    }
    if (w->line != line)
    {
        return input_error(w->g->from, line,
                           "this link goes on in line %d; expected its two ends, rate, "
                           "delay and error rate in one",
                           w->line);
    }
    if (loss > 0)
    {
        return input_error(w->g->from, w->line,
                           "error rate %s of a link; expected 0: links lose nothing by themselves, "
                           "<loss> in the scenario does",
                           w->word);
    }
    edge.a = w->index[a];
    edge.b = w->index[b];
    const uint32_t lower = edge.a < edge.b ? edge.a : edge.b;
    const uint32_t upper = edge.a < edge.b ? edge.b : edge.a;
    edge.scale_up = lower < w->g->nhosts && w->members[upper].is_nvswitch;
    graph_draft_add(w->g, &edge, line);
    return !edge.scale_up || join_server(w, lower, upper);
}

/** Looks whether words follow the last link. */
static bool
read_end(struct word_walk *w, int64_t nlinks)
{
    const int line = w->line;
    const bool more = w->at[strspn(w->at, BETWEEN)] != '\0';
    if (more && w->g->gpus)
    {
        return next_word(w, "next word") &&
               input_error(w->g->from, w->line,
                           "'%s' follows the %lld links that the first line announces; expected "
                           "the end of the file",
                           w->word, (long long)nlinks);
    }
    if (more)
    {
        input_warning(w->g->from, line,
                      "what stands behind the %lld links that the first line announces is ignored, "
                      "as HPCC's simulator does",
                      (long long)nlinks);
    }
    return true;
}

static bool
read_all(struct word_walk *w, int64_t nlinks)
{
    bool good = read_switches(w);
    for (int64_t i = 0; good && i < nlinks; i++)
    {
        good = read_link(w);
    }
    return good && read_end(w, nlinks) && check_servers(w);
}

/** Words of the first line. */
static unsigned
count_words(const char *at)
{
    unsigned n = 0;
    for (at += strspn(at, " \t\r"); *at && *at != '\n'; at += strspn(at, " \t\r"))
    {
        at += strcspn(at, " \t\r\n");
        n++;
    }
    return n;
}

static bool
next_kind(struct word_walk *w)
{
    return next_word(w, "kind of GPU") &&
           (w->word[strspn(w->word, "0123456789.+-")] != '\0' ||
            input_error(w->g->from, w->line, "kind of GPU '%s'; expected a name", w->word));
}

/** The first line. @p switches: NVSwitches among them. */
static bool
read_numbers(struct word_walk *w, int64_t *nodes, int64_t *switches, int64_t *nlinks)
{
    const unsigned words = count_words(w->at);
    const bool simai = words == SIMAI_WORDS;
    int64_t gpus = 0, nvswitches = 0;
    if (!simai && words != HPCC_WORDS)
    {
        return input_error(w->g->from, 1,
                           "words in the first line: %u; expected 3 numbers (HPCC) or 6 words "
                           "(SimAI)",
                           words);
    }
    if (!next_value(w, &nodes_param, nodes) ||
        (simai &&
         (!next_value(w, &gpus_param, &gpus) || !next_value(w, &nvswitches_param, &nvswitches))) ||
        !next_value(w, simai ? &others_param : &switches_param, switches) ||
        !next_value(w, &links_param, nlinks) || (simai && !next_kind(w)))
    {
        return false;
    }
    w->g->gpus = (uint32_t)gpus;
    w->nvswitches = (uint32_t)nvswitches;
    *switches += nvswitches;
    return *switches > 0 || input_error(w->g->from, 1, "no switches; expected one at least");
}

bool
graph_text_parse(struct graph_draft *g)
{
    struct word_walk w = {.g = g, .at = g->bytes, .line = 1};
    int64_t nodes, switches, nlinks;
    w.at += strncmp(w.at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (strlen(g->bytes) != g->size)
    {
        return input_error(g->from, 1, "this is no text; expected a topology.txt or XML");
    }
    if (!read_numbers(&w, &nodes, &switches, &nlinks))
    {
        return false;
    }
    if (switches >= nodes || nodes - switches > WEFT_MAX_HOSTS)
    {
        return input_error(g->from, 1,
                           "%lld nodes of which %lld are switches; expected 1 to %u hosts",
                           (long long)nodes, (long long)switches, WEFT_MAX_HOSTS);
    }
    /* Each node and link takes two bytes at least: no memory for what is not there. */
    if ((uint64_t)(switches + nlinks) > g->size)
    {
        return input_error(g->from, 1, "the file is too short for %lld switches and %lld links",
                           (long long)switches, (long long)nlinks);
    }
    if (nodes - switches > nlinks)
    {
        return input_error(g->from, 1,
                           "%lld hosts and %lld links; expected one link per host at least",
                           (long long)(nodes - switches), (long long)nlinks);
    }
    if (g->gpus && (nodes - switches) % g->gpus != 0)
    {
        return input_error(g->from, 1,
                           "%lld hosts in servers of %u GPUs; expected a number that divides the "
                           "hosts",
                           (long long)(nodes - switches), g->gpus);
    }
    g->nswitches = (uint32_t)switches;
    g->nhosts = (uint32_t)(nodes - switches);
    w.nodes = (uint32_t)nodes;
    w.index = xcalloc(w.nodes, sizeof *w.index);
    w.members = xcalloc(w.nodes, sizeof *w.members);
    g->names = xcalloc(w.nodes, sizeof *g->names);
    const bool good = read_all(&w, nlinks);
    free(w.index);
    free(w.members);
    return good;
}
