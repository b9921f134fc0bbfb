/* SPDX-License-Identifier: GPL-2.0-only */
#include "provenance.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#include "built-hashes.h"
#include "document.h"
#include "input-file.h"
#include "link-failures.h"
#include "node-numbers.h"
#include "roster/tables.h"
#include "run-file.h"
#include "textbuf.h"

/* The build gives these; a bare compiler does not. */
#ifndef WEFT_COMMAND_VERSION
#define WEFT_COMMAND_VERSION "unknown"
#endif

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

/** Failed links that are listed; of the others the number is. */
#define MOST_LINKS 1000

static struct text command;

void
add_shell_word(struct text *t, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-+=.,:/%@";
    /* At the start of a line a '=' would make it an assignment. */
    bool is_plain = *word && !word[strspn(word, plain)] && (t->len > 0 || !strchr(word, '='));
    if (is_plain)
    {
        text_add(t, "%s", word);
        return;
    }
    text_add(t, "'");
    for (; *word; word++)
    {
        text_add(t, *word == '\'' ? "'\\''" : "%c", *word);
    }
    text_add(t, "'");
}

void
provenance_command(int argc, char *const *argv)
{
    text_add(&command, "weft");
    for (int i = 1; i < argc; i++)
    {
        text_add(&command, " ");
        add_shell_word(&command, argv[i]);
    }
}

const char *
provenance_version(void)
{
    static char version[80];
    snprintf(version, sizeof version, *built_commit ? "%s (commit %s)" : "%s", WEFT_COMMAND_VERSION,
             built_commit);
    return version;
}

/** The table that is written. */
struct telling
{
    const struct sql_file *file;
    sqlite3_stmt *insert;
    char **why;
    bool good;
};

static void __attribute__((format(printf, 3, 4)))
tell(struct telling *to, const char *key, const char *format, ...)
{
    CLEANUP(text_drop) struct text t = {0};
    va_list args;
    va_start(args, format);
    text_vadd(&t, format, args);
    va_end(args);
    if (to->good)
    {
        sqlite3_bind_text(to->insert, 1, key, -1, SQLITE_STATIC);
        sqlite3_bind_text(to->insert, 2, t.s, -1, SQLITE_STATIC);
        to->good = sql_file_step(to->file, to->insert, to->why);
    }
}

/** The links that chance chose: "lower upper", as <failure> would number these switches, one link a
 * line. */
static void
tell_random_links(struct telling *to, const struct scenario *s, const struct link_fault *f)
{
    size_t n;
    CLEANUP(text_drop) struct text t = {0};
    OWNED uint64_t *links = random_links_draw(s, f, &n);
    OWNED char *key =
        xformat("random %s%s%s", f->effect == WEFT_FAULT_SLOW ? "degradations" : "failures",
                f->name ? " " : "", f->name ? f->name : "");
    text_add(&t, "%zu links%s", n, n ? ", lower and upper switch:" : "");
    for (size_t i = 0; i < n && i < MOST_LINKS; i++)
    {
        struct weft_link link;
        weft_planes_link(&s->clos, links[i], &link);
        text_add(&t, "\n  %" PRIu32 " %" PRIu32, node_number(s, NODE_SWITCH, link.lower.index),
                 node_number(s, NODE_SWITCH, link.upper.index));
    }
    if (n > MOST_LINKS)
    {
        text_add(&t, "\n  ... and %zu more", n - MOST_LINKS);
    }
    tell(to, key, "%s", t.s);
}

/** Whether what an element names happens in this run, where chance decides. */
static void
tell_chance(struct telling *to, const struct link_fault *f)
{
    OWNED char *key = xformat("<%s%s%s> of line %d", f->e->name, f->name ? " name=" : "",
                              f->name ? f->name : "", f->e->line);
    tell(to, key, "%s", f->spared ? "does not happen" : "happens");
}

/** A file that the scenario names; @p f NULL: none. */
static void
tell_file(struct telling *to, const char *key, const struct input_file *f)
{
    if (f)
    {
        tell(to, key, "%s (cksum %" PRIu32 ", %zu bytes), kept as %s", f->written, f->checksum,
             f->n, f->kept);
    }
}

/** Tells what the run was made with, where and when. */
static void
tell_making(struct telling *to, const struct scenario *s, const char *host)
{
    struct utsname machine;
    char when[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    OWNED char *code = built_code(s);
    tell(to, "weft", "%s", provenance_version());
    tell(to, "code", "%s", code);
    tell(to, "ns-3", "%s", host ? host : "none");
    tell(to, "compiler", "%s", COMPILER);
    if (uname(&machine) == 0)
    {
        tell(to, "machine", "%s %s %s", machine.sysname, machine.release, machine.machine);
    }
    if (gmtime_r(&now, &utc))
    {
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    tell(to, "command", "%s", command.s ? command.s : "weft");
    tell(to, "finished", "%s", when);
}

/** Tells the memory of this process, or of that one of several ranks that took most. */
static void
tell_memory(struct telling *to, const struct run_results *r)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const long peak = usage.ru_maxrss > r->peak_memory ? usage.ru_maxrss : (long)r->peak_memory;
    r->processes > 1
        ? tell(to, "peak memory", "%ld KiB, the most of %" PRIu32 " ranks", peak, r->processes)
        : tell(to, "peak memory", "%ld KiB", peak);
}

bool
provenance_add(const struct sql_file *file, const struct scenario *s, const struct run_results *r,
               double seconds, char **why)
{
    struct telling to = {.file = file, .why = why};
    to.good = sql_file_run(file, RUN_PROVENANCE_TABLE, why) &&
              sql_file_prepare(file, "INSERT INTO provenance VALUES (?, ?);", &to.insert, why);
    tell_making(&to, s, r->host);
    tell(&to, "seed", "%" PRIu64, s->seed);
    tell(&to, "run", "%" PRIu64, s->run);
    tell(&to, "wall time", "%.3f s", seconds);
    tell_memory(&to, r);
    tell(&to, "events", "%" PRIu64, r->summary.events);
    tell(&to, "packet-hops", "%" PRIu64, r->summary.packet_hops);
    tell_file(&to, "topology file", s->topology_file);
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        tell_file(&to, "workload file", s->workloads[i].input);
    }
    for (size_t i = 0; i < s->nfaults; i++)
    {
        if (fault_is_drawn(&s->faults[i]) && fault_happens(&s->faults[i]))
        {
            tell_random_links(&to, s, &s->faults[i]);
        }
        if (!isnan(s->faults[i].chance))
        {
            tell_chance(&to, &s->faults[i]);
        }
    }
    return to.good;
}

/* --- the code that makes a run ---------------------------------------------------------------- */

const char built_commit[] = BUILT_COMMIT;

struct hashed
{
    const struct weft_algo *algo;
    const char *hash;
};

/* clang-format off */
#define HASHED(table) {&table.algo, BUILT_##table},
static const struct hashed hashes[] = {
    WEFT_TOPOLOGIES(HASHED)
    WEFT_SCHEDULERS(HASHED)
    WEFT_BALANCERS(HASHED)
    WEFT_TRANSPORTS(HASHED)
    WEFT_CONGESTION_CONTROLS(HASHED)
    WEFT_WORKLOADS(HASHED)
};
/* clang-format on */

/** NULL: the algorithm is a part of the simulator. */
static const char *
hash_of(const struct weft_algo *algo)
{
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
    {
        if (hashes[i].algo == algo)
        {
            return hashes[i].hash;
        }
    }
    return NULL;
}

static bool
is_used(const struct scenario *s, const struct weft_algo *algo)
{
    bool used = s->topology.algo == algo || s->scheduler.algo == algo || s->balancer.algo == algo ||
                s->transport.algo == algo || s->cc.algo == algo;
    for (size_t i = 0; !used && i < s->nclasses; i++)
    {
        const struct qp_class *c = &s->classes[i];
        used = c->balancer.algo == algo || c->transport.algo == algo || c->cc.algo == algo;
    }
    for (size_t i = 0; !used && i < s->nworkloads; i++)
    {
        used = s->workloads[i].choice.algo == algo;
    }
    return used;
}

char *
built_code(const struct scenario *s)
{
    struct text t = {0};
    size_t n;
    const struct weft_registry *registries = weft_registries(&n);
    text_add(&t, "simulator " BUILT_SIMULATOR);
    for (size_t r = 0; r < n; r++)
    {
        for (size_t i = 0; i < registries[r].count; i++)
        {
            const struct weft_algo *algo = registries[r].algos[i];
            const char *hash = is_used(s, algo) ? hash_of(algo) : NULL;
            if (hash)
            {
                text_add(&t, ", %s %s %s", registries[r].kind, algo->name, hash);
            }
        }
    }
    return text_take(&t);
}

/** Adds the names of those parts of @p code that @p was does not have. */
static void
add_changed(struct text *t, const char *was, const char *code)
{
    while (*code)
    {
        const size_t n = strcspn(code, ",");
        OWNED char *part = xformat("%.*s", (int)n, code);
        if (!strstr(was, part))
        {
            *strrchr(part, ' ') = '\0';
            text_add(t, "%s%s", t->len ? ", " : "", part);
        }
        code += n + strspn(code + n, ", ");
    }
}

char *
built_code_changed(const char *was, const char *code)
{
    CLEANUP(text_drop) struct text changed = {0};
    add_changed(&changed, was, code);
    return changed.s ? xformat("the code of %s changed", changed.s) : NULL;
}
