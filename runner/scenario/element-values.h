/* SPDX-License-Identifier: GPL-2.0-only */
/** @file element-values.h  From an element's attributes to a struct, as its table says, and back.
 */
#ifndef WEFT_RUNNER_ELEMENT_VALUES_H
#define WEFT_RUNNER_ELEMENT_VALUES_H

#include "document.h"
#include "textbuf.h"

/** Numbers from first to last. */
struct range
{
    uint64_t first, last;
};

/** Reads "3" or "3-7" up to @p end and goes behind it; false if there is something else. */
bool read_range(const char **s, char end, struct range *r);

/** Most numbers that the ranges of a list stand for. */
#define LIST_MOST_NUMBERS ((uint64_t)1 << 22)

/** Reads an attribute into its place in @p to (NULL: only checks it). Errors are reported; a
 * number then is its default, or 0. */
void attribute_read(const struct element *e, const struct attribute *a,
                    const struct attribute_spec *spec, void *to, struct diagnostics *d);

/** Sets what holds where the attribute is not given: nothing, where it must be. */
void attribute_set_default(const struct attribute_spec *spec, void *to);

/** Reads all attributes that the table has into @p to, which is zero: those that @p e (NULL: it is
 * not there) lacks have their defaults, or are absent. Texts are those of @p e; lists are the
 * caller's to free. */
void element_read(const struct element *e, const struct element_spec *spec, void *to,
                  struct diagnostics *d);

/** A further struct, all zero, of an element that may stand several times in @p parent's. */
void *element_next(const struct element_spec *spec, void *parent);

/** The struct of the i-th that stands there, from 0; NULL: there are fewer. */
void *element_at(const struct element_spec *spec, const void *parent, size_t i);

/** The value of an attribute of an element that is in no struct, or its default. */
union attribute_value element_number(const struct element *e, const char *name);

/** Makes a number one that is absent, and whether it is. */
void param_set_absent(const struct weft_param *p, void *to);
bool param_is_absent(const struct weft_param *p, const void *from);

/** Adds ` name="value"` in its canonical form. */
void param_write(struct text *t, const struct weft_param *param, const void *from);

/** Writes all attributes of the table that are not absent. */
void element_write(struct text *t, const struct element_spec *spec, const void *from);

#endif
