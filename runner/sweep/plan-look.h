/* SPDX-License-Identifier: GPL-2.0-only */
/** @file plan-look.h  What a scenario says of how a value of its sweep looks in figures. */
#ifndef WEFT_RUNNER_PLAN_LOOK_H
#define WEFT_RUNNER_PLAN_LOOK_H

#include "diagnostics.h"
#include "document.h"

/** What is not given is Weft's to choose. */
struct plan_look
{
    bool has_colour, has_style;
    unsigned colour; /**< 0xRRGGBB */
    unsigned style;  /**< which of the styles: solid, dashed and so on, from 0 */
};

/** The colours that have names, which are those of Weft's own cycle and in its order. */
#define PLAN_COLOURS 7
extern const unsigned plan_colours[PLAN_COLOURS];

#define PLAN_STYLES 5

/** Takes a word of @p attribute of @p e, such as "blue", "#0072B2" or, as a style, "dashed".
 * Reports what is none. */
void plan_look_take(struct plan_look *look, const struct element *e, const char *attribute,
                    const char *word, struct diagnostics *d);

#endif
