/* SPDX-License-Identifier: GPL-2.0-only */
/* <workload>: one or several, what each reads, the hosts that each runs on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/rng.h>

#include "element-values.h"
#include "flow-list.h"
#include "input-file.h"
#include "messages.h"
#include "node-numbers.h"
#include "scenario-load.h"
#include "textbuf.h"

/* "jobs" in ASCII: the random streams of hosts, one per workload. */
#define STREAM (UINT64_C(0x6a6f6273) << 32)

static const struct weft_workload_ops *
ops_of(const struct workload *w)
{
    return weft_workload_find(w->choice.algo->name);
}

/** ps that the host which has most to send takes for it. */
static double
longest_sending(const struct weft_table *t, const struct weft_hosts *hosts)
{
    double *bytes = xcalloc(hosts->n, sizeof *bytes), most = 0;
    for (uint32_t i = 0; i < t->nflows; i++)
    {
        double *of = &bytes[t->flows[i].src];
        *of += (double)t->flows[i].bytes;
        most = *of > most ? *of : most;
    }
    free(bytes);
    return most * 8e12 / (double)hosts->rate;
}

/** How many times as long as its busiest host sends flows of a matrix start, to be asked about. */
#define SPARSE 100

/** htsim's programs differ in the unit of a start: warns if the other one is likelier than that
 * which was read, as no matrix has its flows start within a microsecond, or after a second, or so
 * that hosts hardly ever send. */
static void
check_unit(const struct element *e, const struct scenario *s, const struct workload *w,
           struct diagnostics *d)
{
    const struct input_file *f = w->input;
    if (!f || !f->flows.is_matrix)
    {
        return;
    }
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    int64_t first = WEFT_NEVER, last = 0;
    for (uint32_t i = 0; i < f->flows.table.nflows; i++)
    {
        first = f->flows.table.flows[i].start < first ? f->flows.table.flows[i].start : first;
        last = f->flows.table.flows[i].start > last ? f->flows.table.flows[i].start : last;
    }
    const bool sparse = (double)(last - first) > SPARSE * longest_sending(&w->table, &hosts);
    if (f->kind == INPUT_FLOWS_PS && last > 0 && last < 1000000)
    {
        diag_warning(d, element_line(e, "start-unit"),
                     "%s: all flows start within a microsecond if their start is in picoseconds; "
                     "start-unit=\"us\" of <workload> reads microseconds, as htsim's programs for "
                     "UEC, RoCE and EQDS do",
                     f->path);
    }
    if (!element_attribute(e, "start-unit") && (sparse || last >= INT64_C(1000000000000)))
    {
        diag_warning(d, element_line(e, "file"),
                     "%s: the last flow starts after %.4g s if its start is in microseconds, and "
                     "%.4g us if it is in picoseconds; start-unit=\"ps\" of <workload> reads "
                     "picoseconds, as htsim's generators write them, and \"us\" says that it is "
                     "meant",
                     f->path, (double)last * 1e-12, (double)last * 1e-12);
    }
}

/** Loads a text that the workload names; false after errors. */
static bool
load_text(const struct element *e, const char *name, const char *written,
          const struct input_file **file, struct diagnostics *d)
{
    *file = written ? input_file_load_text(d->file, written, element_line(e, name), d) : NULL;
    return !written || *file;
}

/** Loads a trace. @p hosts: of the fabric; none where its topology has mistakes. */
static const struct input_file *
load_trace(const struct element *e, const struct weft_hosts *hosts, struct workload *w,
           struct diagnostics *d)
{
    if (!load_text(e, "collective-file", w->collective_file, &w->algorithm, d) ||
        !load_text(e, "process-groups", w->process_groups, &w->groups, d) ||
        !load_text(e, "placement-file", w->placement_file, &w->places, d))
    {
        return NULL;
    }
    const struct trace_wish wish = {
        .ranks = w->ranks == ATTRIBUTE_ABSENT ? 0 : (uint32_t)w->ranks,
        .hosts = hosts->n,
        .bytes = w->collective_bytes == ATTRIBUTE_ABSENT ? 0 : (uint64_t)w->collective_bytes,
        .allreduce = w->allreduce,
        .allgather = w->allgather,
        .reducescatter = w->reducescatter,
        .bytes_scale = w->bytes_scale,
        .rate = hosts->n ? hosts->rate : INT64_C(400000000000),
        .gpus = hosts->gpus,
        .algorithm = w->algorithm,
        .groups = w->groups};
    return input_file_load_trace(d->file, w->file, &wish, element_line(e, "file"), d);
}

/** Gives the workload what its file says. */
static bool
load_input(const struct element *e, const struct weft_hosts *hosts, struct workload *w,
           struct diagnostics *d)
{
    const struct weft_workload_ops *ops = ops_of(w);
    if (ops->table == WEFT_TABLE_NONE)
    {
        return true;
    }
    const enum input_kind flows = w->start_unit == 1 ? INPUT_FLOWS_PS : INPUT_FLOWS;
    const enum input_kind kind = ops->table == WEFT_TABLE_SIZES     ? INPUT_SIZES
                                 : ops->table == WEFT_TABLE_PROGRAM ? INPUT_TRACE
                                                                    : flows;
    if (!w->file)
    {
        diag_error(d, w->line, "the %s workload lacks file=\"...\"; expected %s",
                   w->choice.algo->name,
                   kind == INPUT_TRACE   ? "a trace: GOAL, Chakra, SimAI or MSCCL"
                   : kind != INPUT_SIZES ? "a file of flows: CSV, HPCC's, ConWeave's or htsim's"
                                         : "a distribution of sizes: lines of bytes and percent");
        return false;
    }
    w->input = kind == INPUT_TRACE
                   ? load_trace(e, hosts, w, d)
                   : input_file_load(d->file, w->file, kind, element_line(e, "file"), d);
    if (w->input)
    {
        w->table = w->input->flows.table;
    }
    if (w->input && !w->input->flows.is_matrix && element_attribute(e, "start-unit"))
    {
        diag_error(d, element_line(e, "start-unit"),
                   "start-unit of <workload> is for htsim's connection matrices, and %s is none; "
                   "expected no start-unit",
                   w->input->path);
        return false;
    }
    return w->input != NULL;
}

/* --- hosts ------------------------------------------------------------------------------------ */

/** A host of a list, by its user's number; false after an error. */
static bool
list_host(const struct scenario *s, uint64_t number, bool *in, int line, struct diagnostics *d)
{
    uint32_t host;
    OWNED char *why = NULL;
    if (!node_find(s, NODE_HOST, number, &host, &why))
    {
        diag_error(d, line, "hosts of <workload>: %s", why);
        return false;
    }
    if (in[host])
    {
        diag_error(d, line, "host %llu of <workload> stands twice; expected it once",
                   (unsigned long long)number);
        return false;
    }
    in[host] = true;
    return true;
}

/** Reports a word that names no hosts. Returns whether it may be "random", which a number follows.
 */
static bool
report_word(const struct scenario *s, const char *word, int line, struct diagnostics *d)
{
    OWNED char *all = node_numbers(s, NODE_HOST);
    struct nearest near = nearest_start(word);
    nearest_try(&near, "random");
    diag_error(d, line,
               "hosts '%s' of <workload>; expected hosts from %s such as '0-15 32', or "
               "'random 16'%s",
               word, all, did_you_mean(near.best));
    return near.best != NULL;
}

/** "0-15 32": these. False after errors. */
static bool
list_hosts(const struct scenario *s, const struct words *words, bool *in, int line,
           struct diagnostics *d)
{
    const bool ids = nodes_have_ids(s, NODE_HOST);
    bool good = true;
    for (size_t i = 0; i < words->n; i++)
    {
        const char *word = words->word[i];
        struct range hosts;
        if (!read_range(&word, '\0', &hosts) || (!ids && hosts.last >= s->clos.nhosts))
        {
            good = false;
            if (report_word(s, words->word[i], line, d))
            {
                break;
            }
            continue;
        }
        bool known = true;
        for (uint64_t h = hosts.first; known && h <= hosts.last; h++)
        {
            known = list_host(s, h, in, line, d);
        }
        good = known && good;
    }
    return good;
}

/** "random 16": so many of those that no other workload has chosen. False after errors. */
static bool
draw_hosts(const char *count, const struct scenario *s, size_t which, bool *in, int line,
           struct diagnostics *d)
{
    const uint32_t n = s->clos.nhosts;
    uint32_t *left = xcalloc(n, sizeof *left), nleft = 0;
    int64_t wanted = 0;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        for (uint32_t h = 0; h < s->workloads[i].nhosts; h++)
        {
            in[s->workloads[i].hosts[h]] = true;
        }
    }
    for (uint32_t i = 0; i < n; i++)
    {
        left[nleft] = i;
        nleft += !in[i];
        in[i] = false;
    }
    const bool good =
        weft_param_parse(&flow_host_param, count, &wanted) >= 0 && wanted >= 1 && wanted <= nleft;
    if (!good)
    {
        diag_error(d, line,
                   "hosts '%s' of <workload>; expected 'random 1' to 'random %u': "
                   "%u hosts are left",
                   s->workloads[which].host_list, nleft, nleft);
    }
    struct weft_rng rng;
    weft_rng_seed(&rng, s->seed, s->run, STREAM | which);
    for (int64_t i = 0; good && i < wanted; i++)
    {
        const uint32_t k = weft_rng_below(&rng, nleft);
        in[left[k]] = true;
        left[k] = left[--nleft];
    }
    free(left);
    return good;
}

/** Lists first, so that random ones leave them alone. */
static bool
place(const struct element *e, struct scenario *s, size_t which, bool random, struct diagnostics *d)
{
    struct workload *w = &s->workloads[which];
    const uint32_t n = s->clos.nhosts;
    CLEANUP(words_free) struct words words = words_split(w->host_list ? w->host_list : "");
    const bool is_random = words.n > 0 && strcmp(words.word[0], "random") == 0;
    const int line = element_line(e, "hosts");
    bool good = true;
    if (w->host_list && is_random == random)
    {
        if (!random)
        {
            note_ids(s, NODE_HOST, "<workload>", line, d);
        }
        OWNED bool *in = xcalloc(n, sizeof *in);
        const char *count = words.n == 2 ? words.word[1] : "";
        good =
            random ? draw_hosts(count, s, which, in, line, d) : list_hosts(s, &words, in, line, d);
        w->hosts = xcalloc(n, sizeof *w->hosts);
        for (uint32_t i = 0; good && i < n; i++)
        {
            w->hosts[w->nhosts] = i;
            w->nhosts += in[i];
        }
    }
    return good;
}

/* --- sizes ------------------------------------------------------------------------------------ */

static void
report_too_large(int line, const char *what, struct diagnostics *d)
{
    diag_error(d, line, "this %s is too large; expected at most 16777216 messages", what);
}

static struct weft_job
job_of(const struct workload *w)
{
    return (struct weft_job){.ops = ops_of(w),
                             .config = w->choice.config,
                             .hosts = w->hosts,
                             .nhosts = w->nhosts,
                             .sl = (uint16_t)w->level};
}

static bool
check_size(const struct scenario *s, const struct workload *w, struct diagnostics *d)
{
    struct weft_refusal why = {0, NULL, ""};
    struct weft_hosts all = weft_clos_hosts(&s->clos);
    all.why = &why;
    const struct weft_job job = job_of(w);
    const struct weft_hosts hosts = weft_job_hosts(&job, &all);
    struct weft_traffic_size size;
    const int code = job.ops->size(job.config, &hosts, &size);
    if (code == WEFT_EOVERFLOW)
    {
        report_too_large(w->line, w->choice.algo->name, d);
    }
    else if (code < 0)
    {
        diag_error(d, w->line, "this %s does not fit %u hosts: %s", w->choice.algo->name, hosts.n,
                   weft_refusal_text(code, &why));
    }
    return code >= 0;
}

/** Sets what the run executes: the only workload itself, or jobs that hold all workloads. Returns
 * the number of QPs. */
static uint32_t
join(struct scenario *s, struct diagnostics *d)
{
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    struct weft_traffic_size size;
    s->workload = s->workloads[0].choice;
    struct weft_job *jobs = xcalloc(s->nworkloads, sizeof *jobs);
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        jobs[i] = job_of(&s->workloads[i]);
    }
    s->jobs = (struct weft_jobs){jobs, (uint32_t)s->nworkloads};
    if (s->nworkloads > 1 || s->workloads[0].hosts || s->workloads[0].level)
    {
        s->workload = (struct choice){&weft_workload_jobs.algo, &s->jobs};
    }
    const int code = scenario_ops(s)->size(s->workload.config, &hosts, &size);
    if (code < 0)
    {
        report_too_large(s->workloads[0].line, "scenario", d);
    }
    return code < 0 ? 0 : size.nqps;
}

/* --- all -------------------------------------------------------------------------------------- */

/** Several workloads are told apart by names. Reports the first that has none. */
static bool
check_name(const struct scenario *s, size_t which, struct diagnostics *d)
{
    const struct workload *w = &s->workloads[which];
    bool first = true;
    for (size_t i = 0; i < which; i++)
    {
        first = first && s->workloads[i].name;
    }
    if (!w->name && s->nworkloads > 1 && first)
    {
        diag_error(d, w->line,
                   "one of %zu <workload>s lacks name=\"...\"; expected a name for each",
                   s->nworkloads);
    }
    return w->name || s->nworkloads == 1;
}

/** Whether what is set is of no <workload>; reports it. An element of overrides alone has what they
 * set, and needs a kind at least. */
static bool
is_of_none(const struct element *root, const struct element *e, struct diagnostics *d)
{
    const struct attribute *name = element_attribute(e, "name");
    const bool none = name && name->overridden && !element_attribute(e, "kind");
    if (none)
    {
        report_no_element(d, name->line, root, "workload", name->value);
    }
    return none;
}

/** Every <workload>, by itself; from[i]: where the i-th is from. */
static bool
load_each(const struct element *root, struct scenario *s, bool topology,
          const struct element **from, struct diagnostics *d)
{
    const struct weft_hosts hosts =
        topology ? weft_clos_hosts(&s->clos) : (struct weft_hosts){.n = 0};
    bool good = true;
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        const bool is = strcmp(e->name, "workload") == 0, known = is && !is_of_none(root, e, d);
        from[s->nworkloads] = e;
        s->nworkloads += known;
        good = good && known == is;
    }
    s->workloads = xcalloc(s->nworkloads, sizeof *s->workloads);
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        struct workload *w = &s->workloads[i];
        element_read(from[i], from[i]->spec, w, d);
        w->level = load_level(from[i], s, d);
        w->line = line_of_element(from[i]);
        good = load_choice_of(root, from[i], "workload", &w->choice, d) && good;
        good = w->choice.algo && load_input(from[i], &hosts, w, d) && good;
        good = check_name(s, i, d) && good;
    }
    if (s->nworkloads > WEFT_MAX_JOBS)
    {
        diag_error(d, s->workloads[WEFT_MAX_JOBS].line, "more than %u workloads; expected fewer",
                   WEFT_MAX_JOBS);
        good = false;
    }
    struct choice none;
    return s->nworkloads ? good : load_choice_of(root, NULL, "workload", &none, d);
}

/** Settles what the resolved scenario says of a workload. */
static void
settle(const struct scenario *s, struct workload *w)
{
    w->ranges = host_list(s, w->hosts, w->nhosts);
    w->host_list = w->ranges;
    w->class_name = w->level ? s->classes[w->level - 1].name : NULL;
    w->balancer = NULL;
    w->file = w->input ? w->input->kept : NULL;
    w->start_unit = w->input && w->input->flows.is_matrix ? w->start_unit : ATTRIBUTE_ABSENT;
    w->collective_file = w->algorithm ? w->algorithm->kept : NULL;
    w->process_groups = w->groups ? w->groups->kept : NULL;
    w->placement_file = w->places ? w->places->kept : NULL;
    if (ops_of(w)->table != WEFT_TABLE_PROGRAM)
    {
        w->ranks = w->collective_bytes = ATTRIBUTE_ABSENT;
        w->allreduce = w->allgather = w->reducescatter = ATTRIBUTE_ABSENT;
        w->bytes_scale = NAN;
    }
}

uint32_t
load_workloads(const struct element *root, struct scenario *s, bool topology, struct diagnostics *d)
{
    const struct element **from = xcalloc(root->nchildren, sizeof *from);
    bool good = load_each(root, s, topology, from, d) && topology;
    bool placed = good;
    for (int random = 0; placed && random < 2; random++)
    {
        for (size_t i = 0; i < s->nworkloads; i++)
        {
            placed = place(from[i], s, i, random, d) && placed;
        }
    }
    good = placed;
    for (size_t i = 0; placed && i < s->nworkloads; i++)
    {
        struct workload *w = &s->workloads[i];
        good = place_ranks(from[i], s, w, d) && place_flows(from[i], s, w, d) &&
               check_size(s, w, d) && good;
        if (good)
        {
            check_unit(from[i], s, w, d);
        }
        settle(s, w);
    }
    free(from);
    return good ? join(s, d) : 0;
}
