/* SPDX-License-Identifier: GPL-2.0-only */
/** @file messages.h  Errors about names and values of parameters. */
#ifndef WEFT_RUNNER_MESSAGES_H
#define WEFT_RUNNER_MESSAGES_H

#include <stdbool.h>

#include <weft/weft.h>

#include "diagnostics.h"
#include "document.h"
#include "textbuf.h"

/** Reports what weft_param_parse() returned as @p code; nothing for 0. */
void report_bad_value(struct diagnostics *d, int line, const char *element,
                      const struct weft_param *param, const char *text, int code);

/** "unknown balancer 'ecpm'; expected ar, ecmp, ...; did you mean 'ecmp'?" */
void report_unknown_algorithm(struct diagnostics *d, int line, const struct weft_registry *registry,
                              const char *name);

/** Adds a name to a list of those that could be meant, and looks whether it is. */
void try_name(struct text *list, struct nearest *near, const char *name);

/** Reports that no child of that kind has the name that overrides give one. */
void report_no_element(struct diagnostics *d, int line, const struct element *parent,
                       const char *kind, const char *name);

/** The attributes expected are those of @p spec, or of @p algo if that is not NULL, or of any
 * algorithm where the element chooses one. */
void report_unknown_attribute(struct diagnostics *d, int line, const struct element_spec *spec,
                              const struct weft_algo *algo, const char *name);

/** Whether any algorithm of the registry has a parameter of that name. */
bool known_to_some(const struct weft_registry *registry, const char *parameter);

/** The names of a registry, separated by ", "; the caller frees it. */
char *algorithm_names(const struct weft_registry *registry);

#endif
