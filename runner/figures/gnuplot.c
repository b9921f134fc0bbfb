/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE /* pipe2 */
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

/** Two pipes, which gnuplot opens by their numbers in /dev/fd, and one for why it did not start. */
struct pipes
{
    int svg[2], png[2], start[2];
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

/** Becomes gnuplot, in a locale of UTF-8. It reads no start-up file: one may lie in a folder of
 * results as well. */
static void
become_gnuplot(const char *gnuplot, const char *folder, const char *script, const struct pipes *p)
{
    char *files = xformat("svg_file = '/dev/fd/%d'; png_file = '/dev/fd/%d'", p->svg[1], p->png[1]);
    int null = open("/dev/null", O_RDONLY);
    if (chdir(folder) == 0 && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        setenv("LC_ALL", "C.UTF-8", 1) == 0 && fcntl(p->svg[1], F_SETFD, 0) == 0 &&
        fcntl(p->png[1], F_SETFD, 0) == 0)
    {
        execl(gnuplot, "gnuplot", "-d", "-e", files, script, (char *)NULL);
    }
    const int error = errno;
    const ssize_t sent = write(p->start[1], &error, sizeof error);
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

/** Takes both drawings until gnuplot ends. */
static void
take_all(const struct pipes *p, struct drawing *svg, struct drawing *png)
{
    struct drawing *drawings[] = {svg, png};
    struct pollfd fds[] = {{p->svg[0], POLLIN, 0}, {p->png[0], POLLIN, 0}};
    while (fds[0].fd >= 0 || fds[1].fd >= 0)
    {
        if (poll(fds, 2, -1) < 0)
        {
            if (errno != EINTR)
            {
                return; /* what is missing will be found */
            }
            continue;
        }
        for (size_t i = 0; i < 2; i++)
        {
            if (fds[i].fd >= 0 && fds[i].revents && !take(fds[i].fd, drawings[i]))
            {
                fds[i].fd = -1;
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

/** A sentence on what went wrong, or NULL. */
static char *
complaint(int status, const char *path, const struct drawing *svg, const struct drawing *png)
{
    static const char iend[] = "\0\0\0\0IEND\xAE\x42\x60\x82"; /* the last chunk of a PNG file */
    static const char end[] = "</svg>";
    if (WIFSIGNALED(status))
    {
        return xformat("gnuplot was killed by signal %d (%s) on %s", WTERMSIG(status),
                       strsignal(WTERMSIG(status)), path);
    }
    if (status != 0)
    {
        return xformat("gnuplot ended with status %d on %s", WEXITSTATUS(status), path);
    }
    bool has_svg = ends_with(svg, end, sizeof end - 1);
    if (!has_svg || !ends_with(png, iend, sizeof iend - 1))
    {
        return xformat("gnuplot did not draw the %s to its end on %s", has_svg ? "PNG" : "SVG",
                       path);
    }
    return NULL;
}

static void
close_pipes(const struct pipes *p, size_t end)
{
    const int fds[] = {p->svg[end], p->png[end], p->start[end]};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
    {
        if (fds[i] >= 0)
        {
            close(fds[i]);
        }
    }
}

static bool
open_pipes(struct pipes *p)
{
    *p = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}};
    bool good = pipe2(p->svg, O_CLOEXEC) == 0 && pipe2(p->png, O_CLOEXEC) == 0 &&
                pipe2(p->start, O_CLOEXEC) == 0;
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
    return read(p->start[0], &error, sizeof error) == (ssize_t)sizeof error ? error : 0;
}

/** Has it draw; a sentence on what went wrong, or NULL. */
static char *
draw(const char *gnuplot, const char *folder, const char *script, struct drawing *svg,
     struct drawing *png)
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
        take_all(&p, svg, png);
        status = end_of(pid);
        error = start_error(&p);
    }
    close_pipes(&p, 0);
    char *path = xformat("%s/%s", folder, script);
    char *why = error ? xformat("cannot start %s: %s", gnuplot, strerror(error))
                      : complaint(status, path, svg, png);
    free(path);
    return why;
}

bool
gnuplot_draw(const char *folder, const char *name, struct drawing *svg, struct drawing *png,
             char **why)
{
    char *gnuplot = find_gnuplot(), *script = xformat("%s.gp", name);
    *why = gnuplot ? draw(gnuplot, folder, script, svg, png)
                   : xformat("gnuplot is not installed; expected the package gnuplot-nox "
                             "(apt-get install gnuplot-nox)");
    free(gnuplot);
    free(script);
    return *why == NULL;
}
