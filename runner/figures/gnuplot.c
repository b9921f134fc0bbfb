/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE /* memfd_create, memmem */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "textbuf.h"

const char *const drawing_kinds[DRAWINGS] = {"svg", "png", "pdf"};

#define WHY   DRAWINGS /* the file for why there is no drawing */
#define FILES (DRAWINGS + 1)

/** Where gnuplot is, or NULL. What PATH has that is not absolute does not count: it would be meant
 * from a folder of results, which others may have filled. The caller frees it. */
static char *
find_gnuplot(void)
{
    const char *path = getenv("PATH");
    CLEANUP(words_free)
    struct words folders = words_split_at(path ? path : "/usr/local/bin:/usr/bin:/bin", ':');
    char *found = NULL;
    for (size_t i = 0; !found && i < folders.n; i++)
    {
        struct stat st;
        OWNED char *file = xformat("%s/gnuplot", folders.word[i]);
        if (*file == '/' && *folders.word[i] && stat(file, &st) == 0 && S_ISREG(st.st_mode) &&
            access(file, X_OK) == 0)
        {
            found = file;
            file = NULL;
        }
    }
    return found;
}

/** Becomes gnuplot, which opens @p files by their numbers. It reads no start-up file: one may lie
 * in a folder of results as well. The last of them says why there is no drawing. Locale and time
 * zone are the same for all; streams of the PDF are not compressed, as in one of them cairo has the
 * date since 1.18, and set_date() would not find it. */
static void
become_gnuplot(const char *gnuplot, const char *folder, const char *script, const int *files)
{
    struct text t = {0};
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < DRAWINGS; i++)
    {
        text_add(&t, "%s_file = '/dev/fd/%d'; ", drawing_kinds[i], files[i]);
    }
    text_add(&t, "why_file = '/dev/fd/%d'", files[WHY]);
    if (chdir(folder) == 0 && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        setenv("LC_ALL", "C.UTF-8", 1) == 0 && setenv("TZ", "UTC0", 1) == 0 &&
        setenv("CAIRO_DEBUG_PDF", "1", 1) == 0)
    {
        execl(gnuplot, "gnuplot", "-d", "-e", t.s, script, (char *)NULL);
    }
    dprintf(files[WHY], "cannot start %s: %s", gnuplot, strerror(errno));
    _exit(1);
}

/** All bytes of a file in memory, and a NUL behind them. */
static struct drawing
read_back(int file)
{
    const off_t size = lseek(file, 0, SEEK_END);
    struct drawing d = {xcalloc(size > 0 ? (size_t)size + 1 : 1, 1), 0};
    ssize_t n = 1;
    while (n > 0 && d.n < (size_t)(size > 0 ? size : 0))
    {
        n = pread(file, d.bytes + d.n, (size_t)size - d.n, (off_t)d.n);
        d.n += n > 0 ? (size_t)n : 0;
    }
    return d;
}

/** Whether a file ends so; line ends behind it do not count. */
static bool
ends_with(const struct drawing *d, const char *end, size_t n)
{
    size_t last = d->n;
    while (last > 0 && d->bytes[last - 1] == '\n')
    {
        last--;
    }
    return last >= n && memcmp(d->bytes + last - n, end, n) == 0;
}

/** How files of each kind end: the last chunk of a PNG file, for one. */
static const struct
{
    const char *bytes;
    size_t n;
    const char *name;
} ends[DRAWINGS] = {
    {"</svg>", 6, "SVG"}, {"\0\0\0\0IEND\xAE\x42\x60\x82", 12, "PNG"}, {"%%EOF", 5, "PDF"}};

/** A sentence on what went wrong, or NULL. */
static char *
complaint(int status, const char *path, const struct drawing *drawn)
{
    if (WIFSIGNALED(status))
    {
        return xformat("gnuplot was killed by signal %d (%s) on %s", WTERMSIG(status),
                       strsignal(WTERMSIG(status)), path);
    }
    if (status != 0)
    {
        return xformat("gnuplot ended with status %d on %s", WEXITSTATUS(status), path);
    }
    for (size_t i = 0; i < DRAWINGS; i++)
    {
        if (!ends_with(&drawn[i], ends[i].bytes, ends[i].n))
        {
            return xformat("gnuplot did not draw the %s to its end on %s", ends[i].name, path);
        }
    }
    return NULL;
}

/** Puts a fixed date where the PDF has that of today. */
static void
set_date(struct drawing *pdf)
{
    static const char before[] = "/CreationDate (D:", date[] = "20000101000000";
    char *at = pdf->bytes ? memmem(pdf->bytes, pdf->n, before, sizeof before - 1) : NULL;
    if (at && (size_t)(pdf->bytes + pdf->n - at) > sizeof before + sizeof date)
    {
        memcpy(at + sizeof before - 1, date, sizeof date - 1);
    }
}

/** gnuplot escapes '&' and '<' alone, and "]]>" must not stand in a text of XML. */
static void
escape_brackets(struct drawing *svg)
{
    static const char escaped[] = "]]&gt;";
    char *at = svg->bytes;
    while (at && (at = memmem(at, svg->n - (size_t)(at - svg->bytes), "]]>", 3)) != NULL)
    {
        const size_t before = (size_t)(at - svg->bytes), behind = before + 3;
        svg->bytes = xrealloc(svg->bytes, svg->n + 3, 1);
        at = svg->bytes + before;
        memmove(at + 6, at + 3, svg->n - behind);
        memcpy(at, escaped, 6);
        svg->n += 3;
    }
}

/** Has it draw; a sentence on what went wrong, or NULL. */
static char *
draw(const char *gnuplot, const char *folder, const char *script, struct drawing *drawn)
{
    struct drawing made[FILES] = {{NULL, 0}};
    int files[FILES], error = 0, status = 0;
    for (size_t i = 0; i < FILES; i++)
    {
        files[i] = memfd_create("drawing", 0);
        error = files[i] < 0 ? errno : error;
    }
    fflush(NULL);
    const pid_t pid = error ? -1 : fork();
    if (pid == 0)
    {
        become_gnuplot(gnuplot, folder, script, files);
    }
    error = pid < 0 && !error ? errno : error;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    {
    }
    for (size_t i = 0; i < FILES; i++)
    {
        made[i] = read_back(files[i]);
        close(files[i]);
    }
    OWNED char *path = xformat("%s/%s", folder, script);
    char *why = error ? xformat("cannot start %s: %s", gnuplot, strerror(error))
                : made[WHY].n
                    ? xformat("%.*s", (int)strcspn(made[WHY].bytes, "\n"), made[WHY].bytes)
                    : complaint(status, path, made);
    memcpy(drawn, made, DRAWINGS * sizeof *drawn);
    free(made[WHY].bytes);
    return why;
}

bool
gnuplot_draw(const char *folder, const char *name, struct drawing *drawn, char **why)
{
    OWNED char *gnuplot = find_gnuplot(), *script = xformat("%s.gp", name);
    *why = gnuplot ? draw(gnuplot, folder, script, drawn)
                   : xformat("gnuplot is not installed; expected the package gnuplot-nox "
                             "(apt-get install gnuplot-nox)");
    escape_brackets(&drawn[0]);
    set_date(&drawn[2]);
    return *why == NULL;
}
