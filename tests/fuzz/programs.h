/* SPDX-License-Identifier: GPL-2.0-only */
/** @file programs.h  Programs of traces that are built and thrown away. */
#ifndef WEFT_FUZZ_PROGRAMS_H
#define WEFT_FUZZ_PROGRAMS_H

#include <weft/ops.h>

struct weft_ops *programs_begin(uint32_t nranks);

/** Packs what was added, and releases it. Returns what weft_ops_pack() does. */
int programs_end(struct weft_ops *ops);

#endif
