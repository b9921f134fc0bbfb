/* SPDX-License-Identifier: GPL-2.0-only */
/** @file scenario-load.h  From a document with one run's values to a struct scenario and back. */
#ifndef WEFT_RUNNER_SCENARIO_LOAD_H
#define WEFT_RUNNER_SCENARIO_LOAD_H

#include "document.h"
#include "scenario.h"

/**
 * Resolves everything and checks it: parameters, what no single bound can check, the topology, the
 * workload's fit, QPs and links that are named. NULL after errors, which are in @p d.
 */
struct scenario *scenario_load(const struct element *root, struct diagnostics *d);

void scenario_free(struct scenario *s);

/**
 * The resolved scenario: every parameter with its canonical value; a scenario file in itself, named
 * @p name, that reproduces the run. A file that the workload reads is named as the run keeps it
 * (input_file.kept), by its checksum: other contents make another scenario. The caller frees it.
 */
char *scenario_write(const struct scenario *s, const char *name);

/* --- parts, for scenario-load.c --------------------------------------------------------------- */

/** <drop>, <loss>, <failure>, <convergence>, <measure>, <limit>, <seed>, <default>, <global>. */
void load_conditions(const struct element *root, struct scenario *s, uint32_t nqps,
                     struct diagnostics *d);

/** An algorithm of that kind as @p e chooses and sets it; @p e NULL: the default one. */
bool load_choice_of(const struct element *root, const struct element *e, const char *kind,
                    struct choice *choice, struct diagnostics *d);

/** The line of an element, or of what a sweep or the command line has set in it. */
int line_of_element(const struct element *e);

/** Every <class>, and those that workloads make by balancer="...". */
void load_classes(const struct element *root, struct scenario *s, struct diagnostics *d);

/** The service level that a <workload> chooses by class or balancer. */
uint32_t load_level(const struct element *workload, const struct scenario *s,
                    struct diagnostics *d);

void free_classes(struct scenario *s);

/** <seed>. */
void load_seed(const struct element *root, struct scenario *s, struct diagnostics *d);

/** Every <workload>, and what they are together. Returns their QPs; 0 if not all is well. */
uint32_t load_workloads(const struct element *root, struct scenario *s, bool topology,
                        struct diagnostics *d);

/** Lines of <switch>, <transport> and <balancer>, or of the scenario where they are left out. */
struct fit_lines
{
    int buffer, transport, balancer;
};

/** Reports there when these cannot work together, or in this topology. */
void check_fit(const struct scenario *s, const struct fit_lines *lines, struct diagnostics *d);

/** Reports, at the line of <limit>, a workload that is known to take longer than the limit. */
void check_limit(const struct scenario *s, int line, struct diagnostics *d);

/** Warns of choices that do not suit each other. */
void check_suit(const struct scenario *s, const struct element *root, struct diagnostics *d);

#endif
