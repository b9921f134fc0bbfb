/* SPDX-License-Identifier: GPL-2.0-only */
#include "diagnostics.h"

#include <stdlib.h>
#include <string.h>

#include "shown-text.h"
#include "textbuf.h"

#define MOST_ERRORS 100

/** One line, whatever is quoted. The caller frees it. */
static char *
message_of(const char *format, va_list args)
{
    struct text t = {0}, shown = {0};
    text_vadd(&t, format, args);
    char *message = text_take(&t);
    text_add_printed(&shown, message, strlen(message));
    free(message);
    return text_take(&shown);
}

void
diag_error(struct diagnostics *d, int line, const char *format, ...)
{
    d->reported++;
    if (diag_is_full(d))
    {
        return;
    }
    va_list args;
    va_start(args, format);
    char *message = message_of(format, args);
    va_end(args);
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

void
diag_warning(struct diagnostics *d, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *message = message_of(format, args);
    va_end(args);
    for (size_t i = 0; i < d->nwarnings; i++)
    {
        if (strcmp(d->warnings[i].message, message) == 0)
        {
            free(message);
            return;
        }
    }
    if (d->nwarnings >= MOST_ERRORS)
    {
        free(message);
        return;
    }
    ARRAY_GROW(d->warnings, d->nwarnings);
    d->warnings[d->nwarnings++] = (struct diagnostic){line, message};
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

static void
print_all(const char *file, const struct diagnostic *items, size_t n, const char *kind, FILE *out)
{
    const struct diagnostic **order = xcalloc(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
    {
        order[i] = &items[i];
    }
    if (n)
    {
        qsort(order, n, sizeof *order, by_line);
    }
    for (size_t i = 0; i < n; i++)
    {
        if (order[i]->line == LINE_COMMAND)
        {
            fprintf(out, "weft: command line: %s: %s\n", kind, order[i]->message);
        }
        else if (order[i]->line == LINE_NONE)
        {
            fprintf(out, "%s: %s: %s\n", file, kind, order[i]->message);
        }
        else
        {
            fprintf(out, "%s:%d: %s: %s\n", file, order[i]->line, kind, order[i]->message);
        }
    }
    free(order);
}

void
diag_print(const struct diagnostics *d, FILE *out)
{
    print_all(d->file, d->items, d->n, "error", out);
    if (diag_is_full(d))
    {
        fprintf(out, "%s: error: there may be more; only the first %d are shown\n", d->file,
                MOST_ERRORS);
    }
    print_all(d->file, d->warnings, d->nwarnings, "warning", out);
}

void
diag_free(struct diagnostics *d)
{
    for (size_t i = 0; i < d->n; i++)
    {
        free(d->items[i].message);
    }
    for (size_t i = 0; i < d->nwarnings; i++)
    {
        free(d->warnings[i].message);
    }
    free(d->items);
    free(d->warnings);
    d->items = d->warnings = NULL;
    d->n = d->nwarnings = 0;
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
