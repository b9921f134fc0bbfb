/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure-names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/registry.h>

#include "textbuf.h"
#include "vocabulary.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/** Columns whose names are abbreviations or lack a word; the others are their names in words. */
static const struct
{
    const char *column, *title;
} titles[] = {
    {"cct_us", "completion time"},
    {"cct_acked_us", "completion time to the last ACK"},
    {"cct_mean_us", "mean completion time of the groups"},
    {"fct_us", "flow completion time"},
    {"bound_us", "lower bound"},
    {"bound_acked_us", "lower bound to the last ACK"},
    {"bound_rho_us", "lower bound at the highest rate that can be served"},
    {"slowdown", "slowdown over the lower bound"},
    {"increase", "increase over the lower bound"},
    {"increase_rho", "increase over the lower bound at rho_{max}"},
    {"step_increase_mean", "mean increase of a step over its lower bound"},
    {"rho_max", "rho_{max}"},
    {"mean_rate_gbps", "mean rate of the congestion control"},
    {"rate_gbps", "rate of the congestion control"},
    {"wire_rate_gbps", "rate on the wire"},
    {"resent_share", "share of packets sent again"},
    {"spurious_share", "share of spurious retransmissions"},
    {"data_sent", "data packets sent for the first time"},
    {"data_resent", "data packets sent again"},
    {"sent", "data packets sent for the first time"},
    {"resent", "data packets sent again"},
    {"duplicates", "data packets that arrived twice"},
    {"out_of_order", "data packets that arrived out of order"},
    {"nacks_sent", "NACKs sent"},
    {"nacks_received", "NACKs received"},
    {"cnps_received", "CNPs received"},
    {"cuts", "rate cuts"},
    {"marked", "ECN marks"},
    {"pauses", "PFC pause frames"},
    {"dropped_buffer", "packets dropped by full buffers"},
    {"dropped_link", "packets lost on dead links"},
    {"buffer_peak_bytes", "most buffer in use in a switch"},
    {"buffer_used_bytes", "buffer in use in the fullest switch"},
    {"queue_peak_bytes", "longest queue"},
    {"queue_mean_bytes", "mean queue"},
    {"load_max_bytes", "load of the most loaded port"},
    {"load_mean_bytes", "mean load of a port"},
    {"overload", "overload of the most loaded port"},
    {"qp", "QP"},
    {"qps", "QPs"},
    {"case", ""},
};

/** The ends of names that are units, and what a factor makes of them. */
static const struct
{
    const char *end;
    double scale;
    const char *unit;
} units[] = {
    {"_us", 1, "us"},
    {"_us", 1e-3, "ms"},
    {"_us", 1e-6, "s"},
    {"_us", 1e3, "ns"},
    {"_gbps", 1, "Gb/s"},
    {"_gbps", 1e3, "Mb/s"},
    {"_gbps", 1e-3, "Tb/s"},
    {"_bytes", 1, "bytes"},
    {"_bytes", 1e-3, "KB"},
    {"_bytes", 1e-6, "MB"},
    {"_bytes", 1e-9, "GB"},
    {"_bytes", 1.0 / 1024, "KiB"},
    {"_bytes", 1.0 / 1048576, "MiB"},
    {"", 1, ""},
    {"", 100, "%"},
};

static bool
ends_with(const char *s, const char *end)
{
    const size_t n = strlen(s), length = strlen(end);
    return n > length && strcmp(s + n - length, end) == 0;
}

/** "_us", "_gbps", "_bytes" or "". */
static const char *
unit_end(const char *column)
{
    size_t i = 0;
    while (!ends_with(column, units[i].end))
    {
        i++;
    }
    return units[i].end;
}

/** The parameter "element.attribute" of a sweep, or NULL. */
static const struct weft_param *
parameter(const char *element, const char *attribute)
{
    const struct weft_registry *registry = weft_registry_find(element);
    for (size_t i = 0; registry && i < registry->count; i++)
    {
        const struct weft_param *p = weft_param_find(registry->algos[i], attribute);
        if (p)
        {
            return p;
        }
    }
    const struct element_spec *spec = vocabulary_find(element, "scenario");
    const struct attribute_spec *a = spec ? grammar_attribute(spec, attribute) : NULL;
    return a ? &a->param : NULL;
}

/** Adds words, with spaces for what joins them. */
static void
add_words(struct text *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        text_add(t, "%c", s[i] == '_' || s[i] == '-' ? ' ' : s[i]);
    }
}

/** Adds the name of "element.attribute" or "element:which.attribute". Returns its unit's end. */
static const char *
add_parameter(struct text *t, const char *column, const char *dot)
{
    const size_t whole = (size_t)(dot - column);
    const char *colon = memchr(column, ':', whole);
    const size_t length = colon ? (size_t)(colon - column) : whole;
    OWNED char *element = xformat("%.*s", (int)length, column);
    const struct weft_param *p = parameter(element, dot + 1);
    add_words(t, column, length);
    if (strcmp(dot + 1, "name") != 0 && strcmp(dot + 1, "kind") != 0)
    {
        text_add(t, " ");
        text_add(t, "%s", dot + 1);
    }
    if (colon)
    {
        text_add(t, " of %.*s", (int)(dot - colon - 1), colon + 1);
    }
    return !p                                                         ? ""
           : p->type == WEFT_TIME                                     ? "_us"
           : p->type == WEFT_RATE                                     ? "_gbps"
           : p->type == WEFT_BYTES && (strcmp(dot + 1, "bytes") != 0) ? "_bytes"
                                                                      : "";
}

/** Adds the name of a column of a CSV file. Returns its unit's end. */
static const char *
add_column(struct text *t, const char *column)
{
    const char *end = unit_end(column);
    for (size_t i = 0; i < COUNT_OF(titles); i++)
    {
        if (strcmp(titles[i].column, column) == 0)
        {
            text_add(t, "%s", titles[i].title);
            return end;
        }
    }
    add_words(t, column, strlen(column) - strlen(end));
    return end;
}

static void
add_unit(struct text *t, const char *end, double scale)
{
    for (size_t i = 0; i < COUNT_OF(units); i++)
    {
        if (strcmp(units[i].end, end) == 0 && fabs(scale / units[i].scale - 1) < 1e-6)
        {
            if (*units[i].unit)
            {
                text_add(t, " (%s)", units[i].unit);
            }
            return;
        }
    }
    text_add(t, " x %g", scale);
    if (*end)
    {
        text_add(t, " (%s)", end + 1);
    }
}

char *
column_title(const char *column, double scale, bool numbers)
{
    struct text t = {0};
    const char *dot = strchr(column, '.');
    const char *end = dot ? add_parameter(&t, column, dot) : add_column(&t, column);
    if (numbers)
    {
        add_unit(&t, end, scale);
    }
    return text_take(&t);
}

char *
columns_title(const char *columns, double scale, bool numbers)
{
    CLEANUP(words_free) struct words w = words_split(columns);
    struct text t = {0};
    for (size_t i = 0; i < w.n; i++)
    {
        OWNED char *title = column_title(w.word[i], scale, numbers);
        text_add(&t, "%s%s", i && t.len ? ", " : "", title);
    }
    return text_take(&t);
}
