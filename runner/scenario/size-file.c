/* SPDX-License-Identifier: GPL-2.0-only */
/* A distribution of sizes: "bytes percent" lines, as HPCC's and ConWeave's generators read them. */
#include "input-file.h"
#include "table-lines.h"
#include "textbuf.h"

static const struct weft_param bytes_param =
    INPUT_PARAM("bytes", WEFT_COUNT, "0", "1000000000000000");
static const struct weft_param percent_param = INPUT_PARAM("percent", WEFT_REAL, "0", "100");

/** Adds a point that must not be below the one before it. */
static void
add_point(struct table_lines *t, struct weft_table_size **sizes, size_t *n)
{
    int64_t bytes;
    double percent;
    if (t->n != 2)
    {
        input_error(t->from, t->line, "%zu words; expected bytes and percent", t->n);
        return;
    }
    if (!table_value(t, &bytes_param, t->word[0], &bytes) ||
        !table_value(t, &percent_param, t->word[1], &percent))
    {
        return;
    }
    const struct weft_table_size *last = *n ? &(*sizes)[*n - 1] : NULL;
    if (!last && percent != 0)
    {
        input_error(t->from, t->line, "the first percent is %s; expected 0", t->word[1]);
    }
    if (last && ((uint64_t)bytes < last->bytes || percent / 100 < last->share))
    {
        input_error(t->from, t->line,
                    "%s %s is below the line before; expected bytes and percent to rise",
                    t->word[0], t->word[1]);
    }
    ARRAY_GROW(*sizes, *n);
    (*sizes)[(*n)++] = (struct weft_table_size){(uint64_t)bytes, percent / 100};
}

bool
size_file_parse(struct table_lines *t, struct input_file *f)
{
    struct weft_table_size *sizes = NULL;
    size_t n = 0;
    while (table_lines_next(t))
    {
        add_point(t, &sizes, &n);
    }
    f->table.sizes = sizes;
    f->table.nsizes = (uint32_t)n;
    if (!t->from->bad && (n < 2 || sizes[n - 1].share != 1 || sizes[n - 1].bytes == 0))
    {
        input_error(t->from, t->line,
                    "the distribution ends before 100 percent; expected lines of bytes and percent "
                    "from 0 to 100");
    }
    return !t->from->bad;
}
