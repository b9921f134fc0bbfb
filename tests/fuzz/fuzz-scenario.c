/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenario files that nobody would write: whatever the bytes, loading must end in a scenario or in
 * messages, never in a crash, and a scenario that loads must survive being written and read again.
 * Else a slip in a scenario takes the whole command down, or a resolved scenario does not reproduce
 * its run.
 *
 * With libFuzzer (-fsanitize=fuzzer -DWEFT_LIBFUZZER) a fuzzer; without it a program that replays
 * the files and folders it is given, each whole, cut short and with bytes changed.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <weft/rng.h>

#include "document.h"
#include "figures.h"
#include "scenario-load.h"
#include "sweep-plan.h"
#include "textbuf.h"

/** Larger sweeps only take longer. */
#define MOST_RUNS 50

static void
fail(const char *what, const char *text)
{
    fprintf(stderr, "FAILED: %s\n%s\n", what, text);
    abort();
}

/** The resolved scenario of run 0 of a file in memory, or NULL. */
static char *
resolve(const char *bytes, size_t size, struct diagnostics *d)
{
    char *resolved = NULL;
    struct plan *plan = NULL;
    const struct plan_options none = {0};
    struct document *doc = document_parse("fuzz.xml", bytes, size, d);
    if (doc)
    {
        document_check(doc, d);
    }
    if (doc && doc->root->spec)
    {
        plan = plan_build(doc, &none, d);
    }
    if (plan && plan->nruns <= MOST_RUNS)
    {
        plan_check(plan, d);
        figures_check(plan, d);
    }
    if (plan && d->n == 0 && plan->nruns > 0)
    {
        struct scenario *s = plan_load(plan, 0, d);
        char *name = plan_run_name(plan, 0);
        resolved = s ? scenario_write(s, name) : NULL;
        free(name);
        scenario_free(s);
    }
    plan_free(plan);
    document_free(doc);
    return resolved;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "fuzz.xml"};
    char *once = resolve((const char *)data, size, &d);
    if (once)
    {
        char *twice = resolve(once, strlen(once), &d);
        if (!twice)
        {
            diag_print(&d, stderr);
            fail("a resolved scenario does not load", once);
        }
        else if (strcmp(once, twice) != 0)
        {
            fail("a resolved scenario changes when it is resolved again", once);
        }
        free(twice);
    }
    free(once);
    diag_free(&d);
    return 0;
}

#ifndef WEFT_LIBFUZZER

/** Changed copies per file. */
#define CHANGES 200

static void
replay_changed(const uint8_t *bytes, size_t n, struct weft_rng *rng)
{
    uint8_t *copy = xcalloc(n + 1, 1);
    for (int i = 0; i < CHANGES && n > 0; i++)
    {
        memcpy(copy, bytes, n);
        for (uint32_t k = weft_rng_below(rng, 4); k-- > 0;)
        {
            static const char tempting[] = "\"<>&/= \n0123456789-.eEnNiI\0\xff";
            copy[weft_rng_below(rng, (uint32_t)n)] =
                (uint8_t)tempting[weft_rng_below(rng, sizeof tempting - 1)];
        }
        LLVMFuzzerTestOneInput(copy, i % 2 ? n : weft_rng_below(rng, (uint32_t)n + 1));
    }
    free(copy);
}

static size_t
replay(const char *path, struct weft_rng *rng)
{
    struct stat st;
    size_t files = 0;
    if (stat(path, &st) != 0)
    {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    if (S_ISDIR(st.st_mode))
    {
        struct dirent **names;
        int n = scandir(path, &names, NULL, alphasort);
        for (int i = 0; i < n; i++)
        {
            char *inner = xformat("%s/%s", path, names[i]->d_name);
            files += names[i]->d_name[0] != '.' ? replay(inner, rng) : 0;
            free(inner);
            free(names[i]);
        }
        free(names);
        return files;
    }
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = xcalloc((size_t)st.st_size + 1, 1);
    size_t n = f ? fread(bytes, 1, (size_t)st.st_size, f) : 0;
    if (f)
    {
        fclose(f);
    }
    LLVMFuzzerTestOneInput(bytes, n);
    replay_changed(bytes, n, rng);
    free(bytes);
    return 1;
}

int
main(int argc, char **argv)
{
    struct weft_rng rng;
    size_t files = 0;
    weft_rng_seed(&rng, 1, 0, 0);
    for (int i = 1; i < argc; i++)
    {
        files += replay(argv[i], &rng);
    }
    printf("%zu files, each with %d changed copies\n", files, CHANGES);
    return files > 0 ? 0 : 1;
}

#endif
