// SPDX-License-Identifier: GPL-2.0-only
/** @file allocation-counter.h  Calls of operator new in a test program. */
#ifndef WEFT_ALLOCATION_COUNTER_H
#define WEFT_ALLOCATION_COUNTER_H

#include <cstdint>

/**
 * How often operator new was called, in any form, since the program began.
 *
 * A test that relies on it should first see it count an allocation of its own: where another
 * library's operator new is in the way, it stays the same.
 * @return The count.
 */
uint64_t WeftAllocationCount();

#endif // WEFT_ALLOCATION_COUNTER_H
