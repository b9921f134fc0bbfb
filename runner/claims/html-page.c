/* SPDX-License-Identifier: GPL-2.0-only */
#include "html-page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "files.h"
#include "page-style.h"
#include "provenance.h"
#include "report-query.h"
#include "svg-inline.h"

void
html_page_add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *p = format; *p;)
    {
        const size_t n = strcspn(p, "%");
        text_add(t, "%.*s", (int)n, p);
        p += n;
        if (strncmp(p, "%s", 2) == 0)
        {
            html_add(t, va_arg(args, const char *));
            p += 2;
        }
        else if (strncmp(p, "%zu", 3) == 0)
        {
            text_add(t, "%zu", va_arg(args, size_t));
            p += 3;
        }
        else if (*p)
        {
            text_add(t, "%c", *p++);
        }
    }
    va_end(args);
}

void
html_page_begin(struct text *t, const char *title)
{
    /* The page needs nothing from anywhere, and may ask for nothing. */
    html_page_add(t,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
                  "base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n",
                  title);
    text_add(t, "<style>\n%s</style>\n</head>\n<body>\n<main>\n", page_style);
}

void
html_page_end(struct text *t)
{
    html_page_add(t, "</main>\n<footer>Made by Weft %s.</footer>\n", provenance_version());
    text_add(t, "<script>\n%s</script>\n</body>\n</html>\n", page_script);
}

/* --- figures ---------------------------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/** The names of the figures in a folder, without ".svg". */
static struct words
figures_in(const struct folder *f)
{
    struct words names = {0};
    DIR *dir = folder_list(f);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    {
        const size_t n = strlen(e->d_name);
        if (e->d_name[0] != '.' && n > 4 && strcmp(e->d_name + n - 4, ".svg") == 0)
        {
            words_add(&names, xformat("%.*s", (int)(n - 4), e->d_name));
        }
    }
    if (dir)
    {
        closedir(dir);
    }
    if (names.n)
    {
        qsort(names.word, names.n, sizeof *names.word, by_name);
    }
    return names;
}

/** Adds a figure, or why it is not there. */
static void
add_figure(struct text *t, const struct folder *f, const char *name, const char *prefix)
{
    char *file = xformat("%s.svg", name), *why = NULL;
    size_t n = 0;
    char *bytes = file_read(f, file, &n, &why);
    text_add(t, "<figure>\n<div class=\"drawing\">");
    if (!bytes || !svg_inline(t, bytes, n, prefix, name, &why))
    {
        html_page_add(t, "<p class=\"missing\">This figure cannot be shown: %s</p>", why);
    }
    html_page_add(t, "</div>\n<figcaption>%s</figcaption>\n</figure>\n", name);
    free(bytes);
    free(why);
    free(file);
}

void
html_page_figures(struct text *t, const char *folder, const char *prefix)
{
    struct folder f = NO_FOLDER;
    char *why = NULL;
    if (folder_open(&f, folder, &why))
    {
        struct words names = figures_in(&f);
        text_add(t, "%s", names.n ? "<div class=\"figures\">\n" : "");
        for (size_t i = 0; i < names.n; i++)
        {
            char *own = xformat("%sf%zu-", prefix, i + 1);
            add_figure(t, &f, names.word[i], own);
            free(own);
        }
        text_add(t, "%s", names.n ? "</div>\n" : "");
        words_free(&names);
    }
    folder_close(&f);
    free(why);
}

/* --- tables ----------------------------------------------------------------------------------- */

void
html_page_table_begin(struct text *t, const char *caption)
{
    html_page_add(t,
                  "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n"
                  "<table class=\"sorts\">\n<caption>%s</caption>\n",
                  caption, caption);
}

void
html_page_table_end(struct text *t)
{
    text_add(t, "</tbody>\n</table>\n</div>\n");
}

void
html_page_cell(struct text *t, const struct query_cell *cell, bool number)
{
    double value = cell->real;
    text_add(t, number ? "<td class=\"n\"" : "<td");
    if (cell->kind == QUERY_TEXT && csv_number(cell->text, &value) != CELL_NUMBER)
    {
        value = NAN;
    }
    if (isfinite(value))
    {
        text_add(t, " data-value=\"%.17g\"", value);
    }
    text_add(t, ">");
}

void
html_page_row(struct text *t, const char *name, const struct query_cell *cell)
{
    char *text = report_cell_text(cell);
    html_page_add(t, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", name, text);
    free(text);
}

void
html_page_facts(struct text *t, const char *folder, const struct query_rows *facts)
{
    html_page_add(t,
                  "<details class=\"facts\"><summary>Provenance</summary>\n"
                  "<div class=\"box\">\n<table>\n"
                  "<tbody>\n<tr><th scope=\"row\">results</th><td><code>%s</code></td></tr>\n",
                  folder);
    for (size_t r = 0; facts && r < facts->nrows; r++)
    {
        const struct query_cell *cells = &facts->cells[r * facts->ncolumns];
        char *what = report_cell_text(&cells[0]);
        html_page_row(t, what, &cells[1]);
        free(what);
    }
    text_add(t, "</tbody>\n</table>\n</div>\n</details>\n");
}

void
html_page_query(struct text *t, const char *sql)
{
    text_add(t, "<details class=\"query\"><summary>SQL</summary>\n");
    html_add_block(t, sql);
    text_add(t, "</details>\n");
}
