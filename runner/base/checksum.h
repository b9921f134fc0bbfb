/* SPDX-License-Identifier: GPL-2.0-only */
/** @file checksum.h  The checksum of POSIX's cksum: it finds accidental damage, no forgery. */
#ifndef WEFT_RUNNER_CHECKSUM_H
#define WEFT_RUNNER_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/** Checksum of the bytes so far; all zero: of none. */
struct checksum
{
    uint32_t remainder;
    uint64_t bytes;
};

void checksum_add(struct checksum *c, const void *bytes, size_t n);
/** Returns the number that cksum prints for these bytes. */
uint32_t checksum_value(const struct checksum *c);

#endif
