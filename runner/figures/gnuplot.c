/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE /* pipe2, memmem */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "textbuf.h"

const char *const drawing_kinds[DRAWINGS] = {"svg", "png", "pdf"};

#define START DRAWINGS /* the pipe for why gnuplot did not start */
#define PIPES (DRAWINGS + 1)

/** A pipe per drawing, which gnuplot opens by its number in /dev/fd, and START. */
struct pipes
{
    int of[PIPES][2];
};

/** Where gnuplot is, or NULL. What PATH has that is not absolute does not count: it would be meant
 * from a folder of results, which others may have filled. The caller frees it. */
static char *
find_gnuplot(void)
{
    const char *path = getenv("PATH");
    struct words folders = words_split_at(path ? path : "/usr/local/bin:/usr/bin:/bin", ':');
    char *found = NULL;
    for (size_t i = 0; !found && i < folders.n; i++)
    {
        struct stat st;
        char *file = xformat("%s/gnuplot", folders.word[i]);
        if (*file == '/' && *folders.word[i] && stat(file, &st) == 0 && S_ISREG(st.st_mode) &&
            access(file, X_OK) == 0)
        {
            found = file;
            file = NULL;
        }
        free(file);
    }
    words_free(&folders);
    return found;
}

/** The same locale and time zone for all, and a PDF whose streams are not compressed: in one of
 * them cairo has the date since 1.18, and set_date() would not find it. */
static bool
set_environment(void)
{
    return setenv("LC_ALL", "C.UTF-8", 1) == 0 && setenv("TZ", "UTC0", 1) == 0 &&
           setenv("CAIRO_DEBUG_PDF", "1", 1) == 0;
}

/** Becomes gnuplot. It reads no start-up file: one may lie in a folder of results as well. */
static void
become_gnuplot(const char *gnuplot, const char *folder, const char *script, const struct pipes *p)
{
    struct text files = {0};
    int null = open("/dev/null", O_RDONLY);
    bool kept = true;
    for (size_t i = 0; i < DRAWINGS; i++)
    {
        text_add(&files, "%s_file = '/dev/fd/%d'; ", drawing_kinds[i], p->of[i][1]);
        kept = kept && fcntl(p->of[i][1], F_SETFD, 0) == 0;
    }
    if (kept && chdir(folder) == 0 && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        set_environment())
    {
        execl(gnuplot, "gnuplot", "-d", "-e", files.s, script, (char *)NULL);
    }
    const int error = errno;
    const ssize_t sent = write(p->of[START][1], &error, sizeof error);
    _exit(sent == sizeof error ? 1 : 2);
}

/** Takes what has arrived; false: there will be no more. */
static bool
take(int fd, struct drawing *d)
{
    char part[65536];
    ssize_t n = read(fd, part, sizeof part);
    if (n > 0)
    {
        d->bytes = xrealloc(d->bytes, d->n + (size_t)n, 1);
        memcpy(d->bytes + d->n, part, (size_t)n);
        d->n += (size_t)n;
    }
    return n > 0 || (n < 0 && errno == EINTR);
}

/** Takes all drawings until gnuplot ends. */
static void
take_all(const struct pipes *p, struct drawing *drawn)
{
    struct pollfd fds[DRAWINGS];
    size_t open = DRAWINGS;
    for (size_t i = 0; i < DRAWINGS; i++)
    {
        fds[i] = (struct pollfd){p->of[i][0], POLLIN, 0};
    }
    while (open > 0)
    {
        if (poll(fds, DRAWINGS, -1) < 0)
        {
            if (errno != EINTR)
            {
                return; /* what is missing will be found */
            }
            continue;
        }
        for (size_t i = 0; i < DRAWINGS; i++)
        {
            if (fds[i].fd >= 0 && fds[i].revents && !take(fds[i].fd, &drawn[i]))
            {
                fds[i].fd = -1;
                open--;
            }
        }
    }
}

/** The status that waitpid() tells. */
static int
end_of(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    {
    }
    return status;
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

static void
close_pipes(const struct pipes *p, size_t end)
{
    for (size_t i = 0; i < PIPES; i++)
    {
        if (p->of[i][end] >= 0)
        {
            close(p->of[i][end]);
        }
    }
}

static bool
open_pipes(struct pipes *p)
{
    bool good = true;
    for (size_t i = 0; i < PIPES; i++)
    {
        p->of[i][0] = p->of[i][1] = -1;
        good = good && pipe2(p->of[i], O_CLOEXEC) == 0;
    }
    if (!good)
    {
        int error = errno;
        close_pipes(p, 0);
        close_pipes(p, 1);
        errno = error;
    }
    return good;
}

/** What kept the child from becoming gnuplot; 0: nothing did. */
static int
start_error(const struct pipes *p)
{
    int error = 0;
    return read(p->of[START][0], &error, sizeof error) == (ssize_t)sizeof error ? error : 0;
}

/** Has it draw; a sentence on what went wrong, or NULL. */
static char *
draw(const char *gnuplot, const char *folder, const char *script, struct drawing *drawn)
{
    struct pipes p;
    if (!open_pipes(&p))
    {
        return xformat("cannot make a pipe: %s", strerror(errno));
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
    {
        become_gnuplot(gnuplot, folder, script, &p);
    }
    int error = pid < 0 ? errno : 0, status = 0;
    close_pipes(&p, 1);
    if (pid > 0)
    {
        take_all(&p, drawn);
        status = end_of(pid);
        error = start_error(&p);
    }
    close_pipes(&p, 0);
    char *path = xformat("%s/%s", folder, script);
    char *why = error ? xformat("cannot start %s: %s", gnuplot, strerror(error))
                      : complaint(status, path, drawn);
    free(path);
    return why;
}

bool
gnuplot_draw(const char *folder, const char *name, struct drawing *drawn, char **why)
{
    char *gnuplot = find_gnuplot(), *script = xformat("%s.gp", name);
    *why = gnuplot ? draw(gnuplot, folder, script, drawn)
                   : xformat("gnuplot is not installed; expected the package gnuplot-nox "
                             "(apt-get install gnuplot-nox)");
    free(gnuplot);
    free(script);
    escape_brackets(&drawn[0]);
    set_date(&drawn[2]);
    return *why == NULL;
}
