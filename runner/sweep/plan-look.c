/* SPDX-License-Identifier: GPL-2.0-only */
#include "plan-look.h"

#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "textbuf.h"

const unsigned plan_colours[PLAN_COLOURS] = {0x0072B2, 0xE69F00, 0x009E73, 0xD55E00,
                                             0xCC79A7, 0x56B4E9, 0x000000};

static const char *const colour_names[PLAN_COLOURS] = {"blue",   "orange", "green", "vermilion",
                                                       "purple", "sky",    "black"};
static const char *const style_names[PLAN_STYLES] = {"solid", "dashed", "dash-dotted", "dotted",
                                                     "dash-dot-dotted"};

/** "#RRGGBB". */
static bool
read_hex(const char *word, unsigned *colour)
{
    const bool good =
        *word == '#' && strlen(word) == 7 && strspn(word + 1, "0123456789abcdefABCDEF") == 6;
    if (good)
    {
        *colour = (unsigned)strtoul(word + 1, NULL, 16);
    }
    return good;
}

static void
take_colour(struct plan_look *look, const struct element *e, const char *attribute,
            const char *word, struct diagnostics *d)
{
    struct nearest near = nearest_start(word);
    const size_t place = name_find(&near, colour_names, PLAN_COLOURS);
    look->has_colour = place < PLAN_COLOURS || read_hex(word, &look->colour);
    if (place < PLAN_COLOURS)
    {
        look->colour = plan_colours[place];
    }
    if (!look->has_colour)
    {
        diag_error(d, element_line(e, attribute),
                   "%s of <%s>: '%s' is no colour; expected blue, orange, green, vermilion, "
                   "purple, sky, black or #RRGGBB%s",
                   attribute, e->name, word, did_you_mean(near.best));
    }
}

static void
take_style(struct plan_look *look, const struct element *e, const char *attribute, const char *word,
           struct diagnostics *d)
{
    struct nearest near = nearest_start(word);
    const size_t place = name_find(&near, style_names, PLAN_STYLES);
    look->has_style = place < PLAN_STYLES;
    look->style = (unsigned)place;
    if (!look->has_style)
    {
        diag_error(d, element_line(e, attribute),
                   "%s of <%s>: '%s' is no style; expected solid, dashed, dash-dotted, dotted or "
                   "dash-dot-dotted%s",
                   attribute, e->name, word, did_you_mean(near.best));
    }
}

void
plan_look_take(struct plan_look *look, const struct element *e, const char *attribute,
               const char *word, struct diagnostics *d)
{
    if (strcmp(word, "auto") == 0)
    {
        return;
    }
    if (strncmp(attribute, "colour", 6) == 0)
    {
        take_colour(look, e, attribute, word, d);
        return;
    }
    take_style(look, e, attribute, word, d);
}
