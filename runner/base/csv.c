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

/** Kinds of quantities: the unit that csv_unit() says, and those that csv_number() reads. */
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

/** Returns the unit in which the value of a cell is kept; NULL: the cell is no number, or has no
 * unit of ours. */
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
