/* SPDX-License-Identifier: GPL-2.0-only */
/** @file list-calls.h  What `weft list calls` says to who embeds the C core. */
#ifndef WEFT_RUNNER_LIST_CALLS_H
#define WEFT_RUNNER_LIST_CALLS_H

#include <stdbool.h>

/** Prints what algorithms need of a simulator, and which members of packets they read and write. */
void list_calls(bool markdown);

#endif
