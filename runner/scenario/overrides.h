/* SPDX-License-Identifier: GPL-2.0-only */
/** @file overrides.h  Values that a sweep or the command line sets over those of the file. */
#ifndef WEFT_RUNNER_OVERRIDES_H
#define WEFT_RUNNER_OVERRIDES_H

#include "document.h"

/** element.attribute = value. */
struct override
{
    const struct element_spec *spec; /**< of the element */
    char *element; /**< its name, and where several may stand one of their own: "workload:other";
                      "balancer:bulk" is the <balancer> of <class name="bulk"> */
    char *attribute;
    char *value;
    int line; /**< of the <set> or <vary>, or LINE_COMMAND */
};

/**
 * Splits "element.attribute" and checks that there is such a thing and that it may be set.
 * Returns false after reporting an error; else element and attribute are the caller's to free.
 */
bool override_parse(const char *param, int line, struct override *out, struct diagnostics *d);

void override_free(struct override *o);

/** Whether two names are of one parameter, or of one element: those of the scenario's first
 * workload, which has a name, are known without it as well. */
bool same_parameter(const struct element *scenario, const char *a, const char *b);

/**
 * Sets the value in the tree of a scenario, and makes the element where it is missing. When an
 * override chooses another algorithm, attributes written in the file that only the former algorithm
 * knows go away with it.
 */
void override_apply(struct element *scenario, const struct override *o);

#endif
