/* SPDX-License-Identifier: GPL-2.0-only */
/* How a value of a sweep looks in figures. */
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "sweep-plan.h"
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

void
plan_look_take(struct plan_look *look, const struct element *e, const char *attribute,
               const char *word, struct diagnostics *d)
{
    const bool colour = strncmp(attribute, "colour", 6) == 0;
    const size_t n = colour ? PLAN_COLOURS : PLAN_STYLES;
    struct nearest near = nearest_start(word);
    const size_t place = name_find(&near, colour ? colour_names : style_names, n);
    bool known = place < n;
    if (strcmp(word, "auto") == 0)
    {
        return;
    }
    if (colour)
    {
        look->colour = known ? plan_colours[place] : 0;
        look->has_colour = known = known || read_hex(word, &look->colour);
    }
    else
    {
        look->style = (unsigned)place;
        look->has_style = known;
    }
    if (!known)
    {
        diag_error(d, element_line(e, attribute), "%s of <%s>: '%s' is no %s; expected %s%s",
                   attribute, e->name, word, colour ? "colour" : "style",
                   colour ? "blue, orange, green, vermilion, purple, sky, black or #RRGGBB"
                          : "solid, dashed, dash-dotted, dotted or dash-dot-dotted",
                   did_you_mean(near.best));
    }
}
