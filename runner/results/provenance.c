/* SPDX-License-Identifier: GPL-2.0-only */
#include "provenance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#include "built-code.h"
#include "input-file.h"
#include "link-failures.h"
#include "textbuf.h"

/* The build gives these; a bare compiler does not. */
#ifndef WEFT_COMMAND_VERSION
#define WEFT_COMMAND_VERSION "unknown"
#endif
#ifndef WEFT_NS3_VERSION
#define WEFT_NS3_VERSION "unknown"
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

double
clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/** The links that chance chose: "lower upper", the numbers of two switches, one link a line. */
static void
add_random_links(struct text *t, const struct scenario *s, const char *what,
                 const struct random_links *r)
{
    size_t n;
    uint64_t *links = random_links_draw(s, r, &n);
    text_add(t, "random %s: %zu links%s\n", what, n, n ? ", lower and upper switch:" : "");
    for (size_t i = 0; i < n && i < MOST_LINKS; i++)
    {
        struct weft_link link;
        weft_clos_link(&s->clos, links[i], &link);
        text_add(t, "  %" PRIu32 " %" PRIu32 "\n", link.lower.index, link.upper.index);
    }
    if (n > MOST_LINKS)
    {
        text_add(t, "  ... and %zu more\n", n - MOST_LINKS);
    }
    free(links);
}

/** A file that the scenario names; @p f NULL: none. */
static void
add_file(struct text *t, const char *what, const struct input_file *f)
{
    if (f)
    {
        text_add(t, "%s file: %s (cksum %" PRIu32 ", %zu bytes), kept as %s\n", what, f->written,
                 f->checksum, f->n, f->kept);
    }
}

char *
provenance_text(const struct scenario *s, const struct run_results *r, double seconds)
{
    struct text t = {0};
    struct rusage usage;
    struct utsname machine;
    char when[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
    {
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    getrusage(RUSAGE_SELF, &usage);
    char *code = built_code(s);
    text_add(&t, "weft: %s\ncode: %s\nns-3: %s\ncompiler: %s\n", provenance_version(), code,
             WEFT_NS3_VERSION, COMPILER);
    free(code);
    if (uname(&machine) == 0)
    {
        text_add(&t, "machine: %s %s %s\n", machine.sysname, machine.release, machine.machine);
    }
    text_add(&t, "command: %s\nfinished: %s\n", command.s ? command.s : "weft", when);
    text_add(&t, "seed: %" PRIu64 "\nrun: %" PRIu64 "\n", s->seed, s->run);
    text_add(&t, "wall time: %.3f s\npeak memory: %ld KiB\n", seconds, usage.ru_maxrss);
    text_add(&t, "events: %" PRIu64 "\npacket-hops: %" PRIu64 "\n", r->summary.events,
             r->summary.packet_hops);
    add_file(&t, "topology", s->topology_file);
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        add_file(&t, "workload", s->workloads[i].input);
    }
    if (random_links_any(&s->random_failures))
    {
        add_random_links(&t, s, "failures", &s->random_failures);
    }
    if (random_links_any(&s->random_degrade))
    {
        add_random_links(&t, s, "degradations", &s->random_degrade);
    }
    return text_take(&t);
}
