/* SPDX-License-Identifier: GPL-2.0-only */
#include "diagnostics.h"

#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

#define MOST_ERRORS 100

void
diag_error(struct diagnostics *d, int line, const char *format, ...)
{
    d->reported++;
    if (diag_is_full(d))
    {
        return;
    }
    struct text t = {0};
    va_list args;
    va_start(args, format);
    text_vadd(&t, format, args);
    va_end(args);
    char *message = text_take(&t);
    for (char *p = message; *p; p++)
    {
        *p = (unsigned char)*p < ' ' || *p == 127 ? ' ' : *p; /* one line, whatever is quoted */
    }
    for (size_t i = 0; i < d->n; i++)
    {
        if (d->items[i].line == line && strcmp(d->items[i].message, message) == 0)
        {
            free(message);
            return;
        }
    }
    ARRAY_GROW(d->items, d->n);
    d->items[d->n++] = (struct diagnostic){line, message};
}

bool
diag_is_full(const struct diagnostics *d)
{
    return d->n >= MOST_ERRORS;
}

static int
by_line(const void *a, const void *b)
{
    const struct diagnostic *const *x = a;
    const struct diagnostic *const *y = b;
    if ((*x)->line != (*y)->line)
    {
        return (*x)->line < (*y)->line ? -1 : 1;
    }
    return *x < *y ? -1 : *x > *y;
}

void
diag_print(const struct diagnostics *d, FILE *out)
{
    const struct diagnostic **order = xcalloc(d->n, sizeof *order);
    for (size_t i = 0; i < d->n; i++)
    {
        order[i] = &d->items[i];
    }
    qsort(order, d->n, sizeof *order, by_line);
    for (size_t i = 0; i < d->n; i++)
    {
        if (order[i]->line == LINE_COMMAND)
        {
            fprintf(out, "weft: command line: error: %s\n", order[i]->message);
        }
        else if (order[i]->line == LINE_NONE)
        {
            fprintf(out, "%s: error: %s\n", d->file, order[i]->message);
        }
        else
        {
            fprintf(out, "%s:%d: error: %s\n", d->file, order[i]->line, order[i]->message);
        }
    }
    if (diag_is_full(d))
    {
        fprintf(out, "%s: error: there may be more; only the first %d are shown\n", d->file,
                MOST_ERRORS);
    }
    free(order);
}

void
diag_free(struct diagnostics *d)
{
    for (size_t i = 0; i < d->n; i++)
    {
        free(d->items[i].message);
    }
    free(d->items);
    d->items = NULL;
    d->n = 0;
}

const char *
did_you_mean(const char *best)
{
    static char buffer[128];
    buffer[0] = '\0';
    if (best)
    {
        snprintf(buffer, sizeof buffer, "; did you mean '%s'?", best);
    }
    return buffer;
}
