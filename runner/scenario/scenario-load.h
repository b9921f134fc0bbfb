/* SPDX-License-Identifier: GPL-2.0-only */
/** @file scenario-load.h  From a document with one run's values to a struct scenario and back. */
#ifndef WEFT_RUNNER_SCENARIO_LOAD_H
#define WEFT_RUNNER_SCENARIO_LOAD_H

#include <weft/net.h>

#include "document.h"
#include "scenario.h"

/**
 * Resolves everything and checks it: parameters, what no single bound can check, the topology, the
 * workload's fit, QPs and links that are named. NULL after errors, which are in @p d. The tree is
 * then the scenario's.
 */
struct scenario *scenario_load(struct element *root, struct diagnostics *d);

void scenario_free(struct scenario *s);
/** For CLEANUP(). */
void scenario_drop(struct scenario **s);

/**
 * The resolved scenario: every parameter with its canonical value; a scenario file in itself, named
 * @p name, that reproduces the run. A file that the workload reads is named as the run keeps it
 * (input_file.kept), by its checksum: other contents make another scenario. The caller frees it.
 */
char *scenario_write(const struct scenario *s, const char *name);

/* --- parts ------------------------------------------------------------------------------------ */

/** <failure>, <degrade>, <random-failures> and <random-degrade>, in the order in which they are
 * planned. */
void load_faults(const struct element *root, struct scenario *s, struct diagnostics *d);

/** Gives @p root the transport, congestion control and switches of a preset (enum nic_preset),
 * where it does not name its own. */
void apply_nic_preset(struct element *root, int64_t preset);

/** Adds to @p fault the links that @p e names, as @p name has read it, and names them as a resolved
 * scenario does. Links that are not there are reported. */
void find_links(const struct element *e, const struct scenario *s, struct link_name *name,
                struct link_fault *fault, struct diagnostics *d);

/** Fills s->measure.ports with what ports="tor-up 0:4 8-11:0-15" names, by switch and port. Names
 * of layers, switches or ports that are not there, and ports that are named twice, are reported. */
void load_measured_ports(const struct element *e, struct scenario *s, struct diagnostics *d);

/** Loads conditions once their elements have been read: <drop>, what happens to links, and what no
 * single bound can check of <measure>. */
void load_conditions(const struct element *root, struct scenario *s, uint32_t nqps,
                     struct diagnostics *d);

/** The algorithm of that kind that @p e names, as its attributes set it; @p e NULL: the default
 * one. choice->algo is NULL where neither names one, or after the error that there is no such one.
 */
bool read_choice(const struct element *e, const char *kind, struct choice *choice,
                 struct diagnostics *d);

/** Loads the choice of a whole scenario: there must be one, with all its parameters. */
bool load_choice_of(const struct element *root, const struct element *e, const char *kind,
                    struct choice *choice, struct diagnostics *d);

/** Whether every parameter is given, as Weft writes them in a run's folder: nobody means each. */
bool is_complete(const struct element *e, const struct weft_algo *algo);

/** The line of an element, or of what a sweep or the command line has set in it. */
int line_of_element(const struct element *e);

/** Every <class>, and those that workloads make by balancer="...". */
void load_classes(struct element *root, struct scenario *s, struct diagnostics *d);

/** The service level that a <workload> chooses by class or balancer. */
uint32_t load_level(const struct element *workload, const struct scenario *s,
                    struct diagnostics *d);

void free_classes(struct scenario *s);

/** Every <workload>, and what they are together. Returns their QPs; 0 if not all is well. */
uint32_t load_workloads(const struct element *root, struct scenario *s, bool topology,
                        struct diagnostics *d);

/** Makes of the hosts that a workload's file of flows names ranks of the workload, and gives it to
 * the workload. False after errors: hosts that are not there. */
bool place_flows(const struct element *e, const struct scenario *s, struct workload *w,
                 struct diagnostics *d);

/** Reads the hosts of a trace's ranks, if a file has them, into the workload's table. False after
 * errors. */
bool place_ranks(const struct element *e, const struct scenario *s, struct workload *w,
                 struct diagnostics *d);

/** Algorithms of the QPs of one service level: the scenario's own, or those of a class. */
struct level
{
    const struct scenario *s;
    struct diagnostics *d;
    uint32_t number;              /**< 0: the scenario's own */
    const struct qp_class *class; /**< NULL: the scenario's own */
    const struct element *e;      /**< its <class>; NULL: none */
    const struct choice *balancer, *transport, *cc;
    const char *of; /**< for messages: " of <class name=...>", or nothing */
};

/** @p number: up to s->nclasses. */
struct level level_at(const struct scenario *s, uint32_t number, struct diagnostics *d);

/** Whether the level has an algorithm of that kind of its own, and not the scenario's. */
bool level_owns(const struct level *l, const char *kind);

/** Where the level's algorithm of that kind, or its @p attribute, is chosen; NULL: what an override
 * has set in it is the likelier culprit. */
int level_line(const struct level *l, const char *kind, const char *attribute);

/** The element that chooses what the core complains of; NULL: it is an attribute of a class. */
const char *part_kind(enum weft_net_part part);

/** The level as the core's one level of a fabric. */
struct weft_net_config level_config(const struct level *l, struct weft_net_level *one);

/** Reports what cannot work together, or in this topology. */
void check_feasible(const struct scenario *s, struct diagnostics *d);

/** The value of a parameter in whole units, or @p otherwise if the algorithm has none. */
int64_t choice_value(const struct choice *choice, const char *name, int64_t otherwise);

/** Whether forwarding learns of such a link while messages are under way, however fast they are. */
bool fails_surely(const struct scenario *s);

/** Reports, at the line of <limit>, a workload that is known to take longer than the limit. */
void check_limit(const struct scenario *s, int line, struct diagnostics *d);

/** Warns of hosts that send each other messages and that failures leave without a path until the
 * end of the run. */
void warn_of_cut_hosts(const struct scenario *s, struct diagnostics *d);

/** Warns of choices that do not suit each other, of what changes nothing, and of flows at random
 * that do not reach their load or that a window of <measure> misses. */
void warn_of_scenario(const struct scenario *s, struct diagnostics *d);

/** Warns of ports of hosts that carry nothing, as each QP keeps to one and there are fewer. */
void warn_of_ports(const struct scenario *s, struct diagnostics *d);

/** Warns of counts of packets in a level's transport that decide in the balancer's place, and of
 * parameters that they put out of use. */
void warn_of_counts(const struct level *l);

#endif
