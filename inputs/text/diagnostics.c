/* SPDX-License-Identifier: GPL-2.0-only */
#include "diagnostics.h"

#include <stdlib.h>
#include <string.h>

#include <weft/param.h>

#include "shown-text.h"
#include "textbuf.h"

#define MOST_ERRORS 100

/** Repetitions included: each takes time to word. */
#define MOST_REPORTED 10000

/** Returns one line, whatever is quoted, cut where it is very long. The caller frees it. */
static char *
message_of(const char *format, va_list args)
{
    struct text t = {0}, shown = {0};
    text_vadd(&t, format, args);
    OWNED char *message = text_take(&t);
    text_add_message(&shown, message);
    return text_take(&shown);
}

/** Adds what is not known yet, where the lines have it; @p once: it is, whatever its line is. */
static void
add(struct diagnostic **items, size_t *n, bool once, struct diagnostic item)
{
    bool known = *n >= MOST_ERRORS;
    size_t place = *n;
    for (size_t i = 0; i < *n; i++)
    {
        const struct diagnostic *other = &(*items)[i];
        const bool same =
            (once || other->line == item.line) && strcmp(other->message, item.message) == 0;
        known = known || same;
        (*items)[i].runs += same && other->last != item.last;
        (*items)[i].last = same ? item.last : other->last;
        place = other->line > item.line && i < place ? i : place;
    }
    if (known)
    {
        free(item.message);
        return;
    }
    ARRAY_GROW(*items, *n);
    memmove(*items + place + 1, *items + place, (*n - place) * sizeof **items);
    (*items)[place] = item;
    (*n)++;
}

void
diag_error(struct diagnostics *d, int line, const char *format, ...)
{
    if (!diag_is_full(d)) /* else its words would cost time and help nobody */
    {
        va_list args;
        va_start(args, format);
        add(&d->items, &d->n, false,
            (struct diagnostic){line, message_of(format, args), 1, d->run});
        va_end(args);
    }
    d->reported++;
}

void
diag_warning(struct diagnostics *d, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(&d->warnings, &d->nwarnings, true,
        (struct diagnostic){line, message_of(format, args), 1, d->run});
    va_end(args);
}

void
diag_note(struct diagnostics *d, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(&d->notes, &d->nnotes, true,
        (struct diagnostic){line, message_of(format, args), 1, d->run});
    va_end(args);
}

void
diag_idle(struct diagnostics *d, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(&d->idle, &d->nidle, false, (struct diagnostic){line, message_of(format, args), 1, d->run});
    va_end(args);
}

void
diag_warn_idle(struct diagnostics *d, size_t runs)
{
    for (size_t i = 0; i < d->nidle; i++)
    {
        if (d->idle[i].runs >= runs)
        {
            diag_warning(d, d->idle[i].line, "%s", d->idle[i].message);
        }
    }
}

bool
diag_is_full(const struct diagnostics *d)
{
    return d->n >= MOST_ERRORS || d->reported >= MOST_REPORTED;
}

static void
print_all(const char *file, const struct diagnostic *items, size_t n, const char *kind, FILE *out)
{
    for (size_t i = 0; i < n; i++)
    {
        print_shown(out, "%s", items[i].line == LINE_COMMAND ? "weft: command line" : file);
        if (items[i].line > 0)
        {
            fprintf(out, ":%d", items[i].line);
        }
        print_shown(out, ": %s: %s\n", kind, items[i].message);
    }
}

void
diag_print(const struct diagnostics *d, FILE *out)
{
    print_all(d->file, d->items, d->n, "error", out);
    if (diag_is_full(d))
    {
        print_shown(out, "%s: error: there may be more; %zu shown\n", d->file, d->n);
    }
    if (d->n == 0) /* else they may be of what is meant otherwise */
    {
        print_all(d->file, d->warnings, d->nwarnings, "warning", out);
        print_all(d->file, d->notes, d->nnotes, "note", out);
    }
}

static void
free_all(struct diagnostic *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        free(items[i].message);
    }
    free(items);
}

void
diag_free(struct diagnostics *d)
{
    free_all(d->items, d->n);
    free_all(d->warnings, d->nwarnings);
    free_all(d->notes, d->nnotes);
    free_all(d->idle, d->nidle);
    d->items = d->warnings = d->notes = d->idle = NULL;
    d->n = d->nwarnings = d->nnotes = d->nidle = 0;
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

const char *
expected_value(const struct weft_param *param)
{
    static char text[512];
    if (weft_param_expected(param, text, sizeof text) < 0)
    {
        snprintf(text, sizeof text, "a %s", weft_type_name(param->type));
    }
    return text;
}
