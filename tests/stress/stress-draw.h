/* SPDX-License-Identifier: GPL-2.0-only */
/** @file stress-draw.h  Draws algorithms, parameters and fabrics from the registries, and writes
 * them as elements of a scenario. */
#ifndef WEFT_STRESS_DRAW_H
#define WEFT_STRESS_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/weft.h>

#define MAX_CONFIG 512

extern struct weft_rng rng;
extern int64_t tiny; /**< bytes: sizes are often about as large, if not 0 */

/** A choice from a registry: what was set, and to what. */
struct draw
{
    const struct weft_algo *algo;
    uint64_t config[MAX_CONFIG / 8];
    bool is_set[64];
};

uint32_t below(uint32_t n);
bool one_in(uint32_t n);

/** An integer from @p least to @p most, each order of magnitude alike. */
int64_t spread(int64_t least, int64_t most);

int64_t integer_of(const struct weft_algo *algo, const char *name, const void *config,
                   int64_t otherwise);

/** Draws a value, now and then one of the bounds. */
void draw_value(const struct weft_param *p, void *config);

/** Draws a parameter in @p rarely, and what has no default. */
void draw_config(struct draw *d, const struct weft_algo *algo, uint32_t rarely);

const struct weft_algo *some_algo(const char *kind);

/** Draws a configuration that its own check takes; the defaults if none comes up. */
void draw_sound(struct draw *d, const char *kind, uint32_t rarely);

/** Counts of a topology are small; its rates and delays are not. */
void draw_topology(struct draw *d, struct weft_clos *clos);

void write_choice(const char *element, const char *selector, const struct draw *d);

/** Returns a time as a scenario has it; @p text: room for it. */
const char *some_time(char text[32]);

/** Writes what a failure does that does not just take a link down, half of the time, and in which
 * direction. @{ */
void write_effect(void);
void write_direction(void);
/** @} */

/** Draws a link between switches, of any plane. */
uint64_t any_switch_link(const struct weft_clos *clos);
/** Returns which of the parallel links between its switches link @p at is. */
uint32_t link_number(const struct weft_clos *clos, const struct weft_link *link, uint64_t at);

#endif
