/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file vocabulary.h  Every element and attribute of a scenario, in one table, each with its place
 * in struct scenario. Elements that choose an algorithm take their attributes from the registries.
 */
#ifndef WEFT_RUNNER_VOCABULARY_H
#define WEFT_RUNNER_VOCABULARY_H

#include "grammar.h"

/** In the order in which a resolved scenario has them. */
extern const struct grammar vocabulary;

/** Returns the element of that name under @p parent, or NULL. */
const struct element_spec *vocabulary_find(const char *name, const char *parent);

/** Whether an attribute of that name has a meaning where the element chooses @p algo. */
bool vocabulary_takes(const struct element_spec *spec, const struct weft_algo *algo,
                      const char *name);

/** Returns the algorithm that holds when a scenario leaves its element or its name out; NULL: it
 * must be given. */
const char *default_algorithm(const char *kind);

#endif
