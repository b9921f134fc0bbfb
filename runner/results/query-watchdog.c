/* SPDX-License-Identifier: GPL-2.0-only */
#include "query-watchdog.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/** Behind the limit of time, s: SQLite ends a query at that if it can. */
#define GRACE 2

/** Longer limits are none, s. */
#define MOST 1e8

static char message[100];

static void
end(int number)
{
    (void)number;
    if (write(STDERR_FILENO, message, strlen(message)) < 0)
    {
        _exit(2); /* the same: nobody hears of it */
    }
    _exit(2);
}

static void
set(time_t seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void
query_watchdog_start(double seconds)
{
    struct sigaction action;
    if (seconds > MOST)
    {
        return;
    }
    snprintf(message, sizeof message,
             "weft: error: a query takes longer than %g seconds in one step\n", seconds);
    memset(&action, 0, sizeof action);
    action.sa_handler = end;
    sigaction(SIGALRM, &action, NULL);
    set((time_t)seconds + GRACE);
}

void
query_watchdog_stop(void)
{
    set(0);
}
