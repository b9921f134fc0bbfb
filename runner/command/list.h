/* SPDX-License-Identifier: GPL-2.0-only */
/** @file list.h  What a scenario can name: kinds, algorithms, parameters, elements, CSV columns. */
#ifndef WEFT_RUNNER_LIST_H
#define WEFT_RUNNER_LIST_H

#include <stdbool.h>

/**
 * Prints everything (@p what NULL), or a kind, an algorithm, an element, "elements", "columns" or
 * "calls". Returns 0, or EXIT_BAD_INPUT after a message if there is nothing of that name.
 */
int list_print(const char *what, bool markdown);

#endif
