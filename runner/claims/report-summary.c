/* SPDX-License-Identifier: GPL-2.0-only */
#include "report-summary.h"

#include <stdlib.h>
#include <string.h>

#include "report-model.h"
#include "report-numbers.h"
#include "shown-text.h"

#define WIDTH 92 /* columns for a claim */

/** Adds a text as one line. */
static void
add_line(struct text *t, const char *s)
{
    struct words w = words_split(s);
    for (size_t i = 0; i < w.n; i++)
    {
        text_add(t, "%s", i ? " " : "");
        text_add_printed(t, w.word[i], strlen(w.word[i]));
    }
    words_free(&w);
}

static void
add_code(struct text *t, const char *s)
{
    text_add(t, "`");
    add_line(t, s);
    text_add(t, "`");
}

static const struct report_form terminal = {add_line, add_code, add_line, "", "", "; "};

/** How much of a string fits, which is not cut within a character of UTF-8. */
static size_t
fitting(const char *s)
{
    size_t n = strlen(s);
    if (n <= WIDTH)
    {
        return n;
    }
    for (n = WIDTH; n > 0 && ((unsigned char)s[n] & 0xc0U) == 0x80U;)
    {
        n--;
    }
    return n;
}

static void
add_claim(struct text *t, const struct report_claim *claim)
{
    const struct element *paper = element_child(claim->e, "paper");
    char *number = xformat("%zu%s", claim->number, claim->former ? REPORT_FORMER_MARK : "");
    struct text says = {0};
    add_line(&says, element_child(claim->e, "says")->text);
    const size_t n = fitting(says.s);
    text_add(t, "  %3s  %.*s%s\n       Weft: ", number, (int)n, says.s, says.s[n] ? "..." : "");
    report_add_evidence(t, &terminal, claim->e, claim->numbers);
    if (paper)
    {
        text_add(t, "; the paper: ");
        add_line(t, paper->text);
    }
    if (claim->verdict != VERDICT_NONE)
    {
        text_add(t, "; verdict: %s", report_verdicts[claim->verdict].name);
    }
    text_add(t, "\n");
    free(says.s);
    free(number);
}

void
report_summary(const struct report *r, FILE *out)
{
    struct text t = {0};
    for (size_t p = 0; p < r->nparts; p++)
    {
        for (size_t i = 0; i < r->parts[p].nsections; i++)
        {
            const struct report_section *section = &r->parts[p].sections[i];
            add_line(&t, element_value(section->e, "title"));
            text_add(&t, "\n");
            for (size_t k = 0; k < section->nclaims; k++)
            {
                add_claim(&t, &section->claims[k]);
            }
        }
    }
    fputs(t.s ? t.s : "", out);
    free(t.s);
}
