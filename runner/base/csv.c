/* SPDX-License-Identifier: GPL-2.0-only */
#include "csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
csv_add_cell(struct text *t, const char *cell)
{
    if (!strpbrk(cell, ",\"\r\n"))
    {
        text_add(t, "%s", cell);
        return;
    }
    text_add(t, "\"");
    for (; *cell; cell++)
    {
        text_add(t, *cell == '"' ? "\"\"" : "%c", *cell);
    }
    text_add(t, "\"");
}

/** The cell at *p, unquoted where it stands; *p moves behind its separator. *last: it ended its
 * row.
 */
static char *
next_cell(char **p, bool *last)
{
    char *cell = *p, *end = cell, *s = cell;
    bool quoted = *s == '"';
    s += quoted;
    while (*s && (quoted || (*s != ',' && *s != '\n')))
    {
        if (quoted && *s == '"')
        {
            if (s[1] != '"')
            {
                quoted = false;
                s++;
                continue;
            }
            s++;
        }
        *end++ = *s++;
    }
    *last = *s != ',';
    *p = *s ? s + 1 : s;
    *end = '\0';
    return cell;
}

static bool
read_row(char **p, char ***cells, size_t *n, size_t want)
{
    bool last = false;
    size_t count = 0;
    while (!last)
    {
        ARRAY_GROW(*cells, *n);
        (*cells)[(*n)++] = next_cell(p, &last);
        count++;
    }
    return want == 0 || count == want;
}

struct csv *
csv_cut(char *bytes, const char *path, char **why)
{
    struct csv *csv = xcalloc(1, sizeof *csv);
    csv->bytes = bytes;
    char *p = bytes;
    if (*bytes && bytes[strlen(bytes) - 1] != '\n')
    {
        *why = xformat("%s was cut: its last row does not end", path);
        csv_free(csv);
        return NULL;
    }
    read_row(&p, &csv->header, &csv->ncolumns, 0);
    size_t n = 0;
    while (*p)
    {
        csv->nrows++;
        if (!read_row(&p, &csv->cells, &n, csv->ncolumns))
        {
            *why =
                xformat("row %zu of %s does not have %zu cells", csv->nrows, path, csv->ncolumns);
            csv_free(csv);
            return NULL;
        }
    }
    return csv;
}

void
csv_free(struct csv *csv)
{
    if (csv)
    {
        free(csv->cells);
        free(csv->header);
        free(csv->bytes);
        free(csv);
    }
}

long
csv_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->ncolumns; i++)
    {
        if (strcmp(csv->header[i], name) == 0)
        {
            return (long)i;
        }
    }
    return -1;
}

const char *
csv_cell(const struct csv *csv, size_t row, size_t column)
{
    return csv->cells[row * csv->ncolumns + column];
}

static const struct unit
{
    const char *name;
    double size;      /**< in what it is measured in */
    const char *kind; /**< that, as csv_unit() */
} units[] = {
    {"", 1, ""},           {"B", 1, "bytes"},      {"KB", 1e3, "bytes"},
    {"MB", 1e6, "bytes"},  {"GB", 1e9, "bytes"},   {"KiB", 1024, "bytes"},
    {"us", 1, "us"},       {"ms", 1e3, "us"},      {"ns", 1e-3, "us"},
    {"ps", 1e-6, "us"},    {"s", 1e6, "us"},       {"MiB", 1048576, "bytes"},
    {"bps", 1e-9, "gbps"}, {"Gbps", 1, "gbps"},    {"GiB", 0x1p30, "bytes"},
    {"Tbps", 1e3, "gbps"}, {"Kbps", 1e-6, "gbps"}, {"Mbps", 1e-3, "gbps"},
};

#define NUNITS (sizeof units / sizeof *units)

/** What follows the number in a cell; NULL: it is no number, or that is no unit. */
static const struct unit *
unit_of(const char *cell, double *value)
{
    char *end;
    *value = strtod(cell, &end);
    for (size_t i = 0; end != cell && i < NUNITS; i++)
    {
        if (strcmp(end, units[i].name) == 0)
        {
            return &units[i];
        }
    }
    return NULL;
}

enum cell_kind
csv_number(const char *cell, double *value)
{
    const struct unit *unit = unit_of(cell, value);
    if (!unit)
    {
        return *cell ? CELL_TEXT : CELL_EMPTY;
    }
    *value *= unit->size;
    return isfinite(*value) ? CELL_NUMBER : CELL_EMPTY;
}

const char *
csv_unit(const char *cell)
{
    double value;
    const struct unit *unit = unit_of(cell, &value);
    return unit ? unit->kind : NULL;
}
