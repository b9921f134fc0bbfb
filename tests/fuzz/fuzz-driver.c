/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The main program of a fuzz target that is not built for libFuzzer: it replays the files and
 * folders it is given, each as it is and in changed copies, and makes inputs of its own. The same
 * arguments always give the same inputs.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weft/rng.h>

#include "fuzz.h"

/** Changed copies per file. */
#define CHANGES 200
/** Longest input that is made here. */
#define LONGEST 4096

static struct weft_rng rng;
static char under_way[512]; /* the input that is being tried */

static void
say_which(int signal)
{
    const size_t n = strlen(under_way);
    const ssize_t written = write(STDERR_FILENO, under_way, n);
    _exit(written == (ssize_t)n ? 128 + signal : 1);
}

static void *
memory(size_t n)
{
    void *p = malloc(n > 0 ? n : 1);
    if (!p)
    {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

/** Tries an input in memory of exactly its size. */
static void
try_input(const uint8_t *bytes, size_t n, const char *what, unsigned number)
{
    uint8_t *exact = memory(n);
    memcpy(exact, bytes, n);
    snprintf(under_way, sizeof under_way, "stopped by input %u of %s\n", number, what);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

static void
replay_changed(const uint8_t *bytes, size_t n, const char *path)
{
    uint8_t *copy = memory(n);
    for (unsigned i = 1; i <= CHANGES && n > 0; i++)
    {
        memcpy(copy, bytes, n);
        for (uint32_t k = weft_rng_below(&rng, 4); k-- > 0;)
        {
            static const char tempting[] = "\"<>&/= ,\n0123456789-.eEnNiI\0\xff";
            copy[weft_rng_below(&rng, (uint32_t)n)] =
                (uint8_t)tempting[weft_rng_below(&rng, sizeof tempting - 1)];
        }
        try_input(copy, i % 2 ? n : weft_rng_below(&rng, (uint32_t)n + 1), path, i);
    }
    free(copy);
}

static size_t
replay_file(const char *path, size_t size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = memory(size);
    const size_t n = f ? fread(bytes, 1, size, f) : 0;
    if (!f || n != size)
    {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(f);
    try_input(bytes, n, path, 0);
    replay_changed(bytes, n, path);
    free(bytes);
    return 1;
}

/** Returns how many files that were. */
static size_t
replay(const char *path)
{
    struct stat st;
    struct dirent **names;
    size_t files = 0;
    if (stat(path, &st) != 0)
    {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    if (!S_ISDIR(st.st_mode))
    {
        return replay_file(path, (size_t)st.st_size);
    }
    const int n = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < n; i++)
    {
        const size_t length = strlen(path) + strlen(names[i]->d_name) + 2;
        char *inner = memory(length);
        snprintf(inner, length, "%s/%s", path, names[i]->d_name);
        files += names[i]->d_name[0] != '.' ? replay(inner) : 0;
        free(inner);
        free(names[i]);
    }
    free(names);
    return files;
}

/** Random bytes; of some inputs all bytes are small, so that rare decisions come together. */
static void
make_inputs(unsigned n)
{
    uint8_t *bytes = memory(LONGEST);
    for (unsigned i = 0; i < n; i++)
    {
        const uint32_t size = weft_rng_below(&rng, LONGEST + 1);
        const uint32_t values = i % 3 == 0 ? 256 : 1 + weft_rng_below(&rng, 256);
        for (uint32_t k = 0; k < size; k++)
        {
            bytes[k] = (uint8_t)weft_rng_below(&rng, values);
        }
        try_input(bytes, size, "those made here", i);
    }
    free(bytes);
}

int
main(int argc, char **argv)
{
    unsigned long made = 0;
    size_t files = 0;
    int i = 1;
    signal(SIGABRT, say_which);
    signal(SIGSEGV, say_which);
    weft_rng_seed(&rng, 1, 0, 0);
    if (argc > 2 && strcmp(argv[1], "--make") == 0)
    {
        made = strtoul(argv[2], NULL, 10);
        i = 3;
    }
    for (; i < argc; i++)
    {
        files += replay(argv[i]);
    }
    make_inputs((unsigned)made);
    printf("%zu files, each with %d changed copies; %lu inputs made here\n", files, CHANGES, made);
    return files + made > 0 ? 0 : 1;
}
