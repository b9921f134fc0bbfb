/* SPDX-License-Identifier: GPL-2.0-only */
/** @file conditions.h  What elements with fixed attributes are read with. */
#ifndef WEFT_RUNNER_CONDITIONS_H
#define WEFT_RUNNER_CONDITIONS_H

#include "document.h"
#include "scenario.h"

/** The value of an attribute or its default; errors are reported, then the default stands. */
union attribute_value value_of(const struct element *e, const char *element, const char *name,
                               struct diagnostics *d);

/** <failure>. */
void load_failure(const struct element *e, struct scenario *s, struct diagnostics *d);

/** <degrade>. */
void load_degradation(const struct element *e, struct scenario *s, struct diagnostics *d);

#endif
