/* SPDX-License-Identifier: GPL-2.0-only */
#include "report-summary.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

#define WIDTH 100 /* columns of a line */
#define CELLS 5   /* of a claim's row: number, claim, the paper, Weft, verdict */

/** Cuts a row of a table at its bars; how many cells it has, of which @p most are stored. */
static size_t
split_row(char *row, char **cell, size_t most)
{
    size_t n = 0;
    char *start = NULL;
    for (char *p = row; *p; p++)
    {
        if (*p == '\\' && p[1])
        {
            p++;
        }
        else if (*p == '|')
        {
            *p = '\0';
            if (start && n < most)
            {
                cell[n] = start;
            }
            n += start != NULL;
            start = p + 1;
        }
    }
    return n;
}

/** How long the mark at @p s is, and what it stands for; 0: it is none. */
static size_t
mark_length(const char *s, const char **means)
{
    static const char *const marks[][2] = {{"<br>", "; "}, {"&lt;", "<"}, {"&amp;", "&"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    {
        size_t n = strlen(marks[i][0]);
        if (strncmp(s, marks[i][0], n) == 0)
        {
            *means = marks[i][1];
            return n;
        }
    }
    return 0;
}

/** A cell without its markup: line breaks as "; ", escapes as what they stand for. */
static char *
plain(const char *cell)
{
    const char *means;
    struct text t = {0};
    while (isspace((unsigned char)*cell))
    {
        cell++;
    }
    for (; *cell; cell++)
    {
        size_t n = mark_length(cell, &means);
        if (n)
        {
            text_add(&t, "%s", means);
            cell += n - 1;
        }
        else if (*cell != '\\' || !cell[1])
        {
            text_add(&t, "%c", *cell);
        }
    }
    while (t.len && t.s[t.len - 1] == ' ')
    {
        t.s[--t.len] = '\0';
    }
    return text_take(&t);
}

/** The start of a string that is not cut within a character of UTF-8. */
static size_t
fitting(const char *s, size_t most)
{
    size_t n = strlen(s);
    if (n <= most)
    {
        return n;
    }
    while (most > 0 && ((unsigned char)s[most] & 0xc0U) == 0x80U)
    {
        most--;
    }
    return most;
}

static void
print_claim(char *const *cell, FILE *out)
{
    char *number = plain(cell[0]), *says = plain(cell[1]);
    char *paper = plain(cell[2]), *weft = plain(cell[3]), *verdict = plain(cell[4]);
    size_t n = fitting(says, WIDTH - 8);
    fprintf(out, "  %3s  %.*s%s\n", number, (int)n, says, says[n] ? "..." : "");
    fprintf(out, "       Weft: %s%s%s%s%s\n", weft, *paper ? "; the paper: " : "", paper,
            *verdict ? "; verdict: " : "", verdict);
    free(number);
    free(says);
    free(paper);
    free(weft);
    free(verdict);
}

/** Whether a row is that of a claim: its first cell is a number, maybe with the mark of
 * former code. */
static bool
is_claim(char *const *cell)
{
    const char *p = cell[0];
    while (*p == ' ')
    {
        p++;
    }
    size_t digits = strspn(p, "0123456789");
    return digits > 0 && strspn(p + digits, " †") == strlen(p + digits);
}

void
report_summary(const char *markdown, FILE *out)
{
    bool claims = false; /* the rows are those of a table of claims */
    for (const char *line = markdown; *line;)
    {
        size_t n = strcspn(line, "\n");
        char *copy = xformat("%.*s", (int)n, line), *cell[CELLS];
        if (strncmp(copy, "## ", 3) == 0)
        {
            fprintf(out, "%s\n", copy + 3);
        }
        claims = *copy == '|' && (claims || strstr(copy, "| what is claimed |") != NULL);
        if (claims && split_row(copy, cell, CELLS) == CELLS && is_claim(cell))
        {
            print_claim(cell, out);
        }
        free(copy);
        line += n + (line[n] == '\n');
    }
}
