/* SPDX-License-Identifier: GPL-2.0-only */
#include "csv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/param.h>

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

/** What is measured, as csv_unit() says it, and what csv_number() measures it in. */
static const struct kind
{
    const char *name;
    struct weft_param param;
    double unit; /**< in the parameter's own */
} kinds[] = {
    {"bytes", {.type = WEFT_BYTES}, 1},
    {"us", {.type = WEFT_TIME}, 1e6},
    {"gbps", {.type = WEFT_RATE}, 1e9},
};

/** What the value of a cell is measured in; NULL: it is no number, or that is no unit. */
static const char *
read_number(const char *cell, double *value)
{
    char *unit, one[8] = "1";
    *value = strtod(cell, &unit);
    if (unit == cell || *unit == '\0')
    {
        return unit == cell ? NULL : "";
    }
    strncat(one, unit, sizeof one - 2);
    for (size_t i = 0; isalpha((unsigned char)*unit) && i < sizeof kinds / sizeof *kinds; i++)
    {
        int64_t size;
        if (weft_param_parse(&kinds[i].param, one, &size) == 0)
        {
            *value *= (double)size / kinds[i].unit;
            return kinds[i].name;
        }
    }
    return NULL;
}

enum cell_kind
csv_number(const char *cell, double *value)
{
    if (!read_number(cell, value))
    {
        return *cell ? CELL_TEXT : CELL_EMPTY;
    }
    return isfinite(*value) ? CELL_NUMBER : CELL_EMPTY;
}

const char *
csv_unit(const char *cell)
{
    double value;
    return read_number(cell, &value);
}
