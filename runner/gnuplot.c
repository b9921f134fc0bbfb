/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE /* pipe2 */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "textbuf.h"

#define NO_GNUPLOT 127

/** Two pipes, which gnuplot opens by their numbers in /dev/fd. */
struct pipes
{
    int svg[2], png[2];
};

/** Becomes gnuplot, in a locale of UTF-8. It reads no start-up file: one may lie in a folder of
 * results as well. */
static void
become_gnuplot(const char *folder, const char *script, const struct pipes *p)
{
    char *files = xformat("svg_file = '/dev/fd/%d'; png_file = '/dev/fd/%d'", p->svg[1], p->png[1]);
    int null = open("/dev/null", O_RDONLY);
    if (chdir(folder) != 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        setenv("LC_ALL", "C.UTF-8", 1) != 0 || fcntl(p->svg[1], F_SETFD, 0) != 0 ||
        fcntl(p->png[1], F_SETFD, 0) != 0)
    {
        _exit(1);
    }
    execlp("gnuplot", "gnuplot", "-d", "-e", files, script, (char *)NULL);
    _exit(errno == ENOENT || errno == EACCES ? NO_GNUPLOT : 1);
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
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_GNUPLOT)
    {
        return xformat("gnuplot is not installed; expected the package gnuplot-nox "
                       "(apt-get install gnuplot-nox)");
    }
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
    close(p->svg[end]);
    close(p->png[end]);
}

static bool
open_pipes(struct pipes *p)
{
    bool good = pipe2(p->svg, O_CLOEXEC) == 0;
    if (good && pipe2(p->png, O_CLOEXEC) != 0)
    {
        int error = errno;
        close(p->svg[0]);
        close(p->svg[1]);
        errno = error;
        good = false;
    }
    return good;
}

bool
gnuplot_draw(const char *folder, const char *name, struct drawing *svg, struct drawing *png,
             char **why)
{
    struct pipes p;
    if (!open_pipes(&p))
    {
        *why = xformat("cannot make a pipe: %s", strerror(errno));
        return false;
    }
    char *script = xformat("%s.gp", name), *path = xformat("%s/%s", folder, script);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
    {
        become_gnuplot(folder, script, &p);
    }
    int error = errno;
    close_pipes(&p, 1);
    if (pid > 0)
    {
        take_all(&p, svg, png);
    }
    close_pipes(&p, 0);
    *why = pid > 0 ? complaint(end_of(pid), path, svg, png)
                   : xformat("cannot start gnuplot: %s", strerror(error));
    free(script);
    free(path);
    return *why == NULL;
}
