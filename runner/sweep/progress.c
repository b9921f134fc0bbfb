/* SPDX-License-Identifier: GPL-2.0-only */
#include "progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "machine-memory.h"
#include "shown-text.h"

/* --- the bar ---------------------------------------------------------------------------------- */

#define BAR_CELLS 30
#define REDRAW    0.1 /* seconds */

void
progress_start(struct progress *p, size_t total, const struct progress_whole *whole)
{
    const char *term = getenv("TERM");
    *p = (struct progress){0};
    p->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    p->total = total;
    p->whole = whole;
    p->start = clock_seconds();
}

void
duration_text(char *out, size_t size, double seconds)
{
    long s = (long)(seconds + 0.5);
    if (s >= 3600)
    {
        snprintf(out, size, "%ldh%02ldm", s / 3600, s / 60 % 60);
    }
    else if (s >= 60)
    {
        snprintf(out, size, "%ldm%02lds", s / 60, s % 60);
    }
    else
    {
        snprintf(out, size, "%lds", s);
    }
}

static void
clear_bar(struct progress *p)
{
    if (p->shown)
    {
        fputs("\r\033[K", stderr);
        p->shown = false;
    }
}

void
progress_draw(struct progress *p, double running, size_t nrunning)
{
    double now = clock_seconds();
    if (!p->terminal || p->total == 0 || now - p->drawn < REDRAW)
    {
        return;
    }
    const struct progress_whole *w = p->whole;
    double ended = (double)p->ended + running + (w ? (double)w->before : 0);
    double done = ended / (double)(w ? w->total : p->total);
    double elapsed = now - (w ? w->start : p->start);
    char bar[BAR_CELLS + 1], left[32] = "?";
    int filled = (int)(done * BAR_CELLS);
    for (int i = 0; i < BAR_CELLS; i++)
    {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[BAR_CELLS] = '\0';
    if (done > 0.001)
    {
        duration_text(left, sizeof left, elapsed * (1 - done) / done);
    }
    fprintf(stderr, "\r\033[K[%s] %3.0f%%  ", bar, 100 * done);
    if (w)
    {
        fprintf(stderr, "scenario %zu of %zu, ", w->sweep, w->nsweeps);
    }
    print_shown(stderr, "%zu of %zu runs, %zu running, %s left", p->ended + (w ? w->before : 0),
                w ? w->total : p->total, nrunning, left);
    fflush(stderr);
    p->shown = true;
    p->drawn = now;
}

void
progress_line(struct progress *p, const char *format, ...)
{
    va_list args;
    clear_bar(p);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    p->drawn = 0;
}

void
progress_end(struct progress *p)
{
    clear_bar(p);
    fflush(stderr);
}

/* --- where runs are --------------------------------------------------------------------------- */

#define MOST_NAMED 8

static void
add_place(struct text *t, const struct run_progress *p)
{
    if (p->messages == 0)
    {
        text_add(t, "not begun");
        return;
    }
    text_add(t, "at %.6g ms, %" PRIu64 " of %" PRIu64 " messages, %.0f %% of the payload",
             (double)p->now * 1e-9, p->delivered, p->messages, 100 * p->done);
}

void
run_status_add(struct text *t, const struct run_status *status)
{
    text_add(t, "%s: ", status->name);
    add_place(t, &status->progress);
    text_add(t, ", %.0f MB, process %ld", process_memory(status->pid) * 1e-6, (long)status->pid);
}

void
run_status_add_all(struct text *t, const struct run_status *status, size_t n)
{
    double memory = process_memory(0);
    CLEANUP(text_drop) struct text named = {0};
    size_t running = 0;
    for (size_t i = 0; i < n; i++)
    {
        if (status[i].pid == 0)
        {
            continue;
        }
        memory += process_memory(status[i].pid);
        if (running++ < MOST_NAMED)
        {
            text_add(&named, "%s%s ", running > 1 ? "; " : "", status[i].name);
            add_place(&named, &status[i].progress);
        }
    }
    text_add(t, "%zu under way (%s", running, named.s ? named.s : "");
    if (running > MOST_NAMED)
    {
        text_add(t, "; and %zu more", running - MOST_NAMED);
    }
    text_add(t, "), %.0f MB in all", memory * 1e-6);
}
