// SPDX-License-Identifier: GPL-2.0-only
/** @file weft-death.h  Acts that are to abort, each in a process of its own. */
#ifndef WEFT_DEATH_H
#define WEFT_DEATH_H

#include <cstdio>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/**
 * Does something in a process of its own that is to be aborted.
 * @param act what
 * @return what the process wrote to stderr before it was killed by a signal; empty if it was not
 */
inline std::string
WeftDeathOf(const std::function<void()>& act)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        return "";
    }
    std::fflush(nullptr); // or both would write what is buffered
    const pid_t child = fork();
    if (child == 0)
    {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        act();
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    char part[256];
    for (ssize_t n = read(ends[0], part, sizeof part); n > 0; n = read(ends[0], part, sizeof part))
    {
        text.append(part, static_cast<size_t>(n));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? text : "";
}

#endif // WEFT_DEATH_H
