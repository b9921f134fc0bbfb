/* SPDX-License-Identifier: MIT */
/**
 * @file blocks.h  Memory of a POSIX system for struct weft_memory: taken piece by piece, given back
 * as a whole. Large blocks ask for huge pages, since a fabric that fits no cache fits no page table
 * either.
 */
#ifndef WEFT_BLOCKS_H
#define WEFT_BLOCKS_H

#include <stddef.h>

#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_block;

    /** Blocks; all zeros are none. */
    struct weft_blocks
    {
        char *free;              /**< what is left of the last block */
        size_t left;             /**< bytes of that */
        size_t taken;            /**< bytes that were taken, rounded up to 64 each */
        struct weft_block *last; /**< the last block, which knows the one before */
        void (*none)(void);      /**< called where the system has no memory; it does not return.
                                    NULL: abort() */
    };

    /** Takes a piece: take() of struct weft_memory. @p of: a struct weft_blocks. */
    WEFT_API void *weft_blocks_take(void *of, size_t bytes);
    /** Gives all back; none() stays. */
    WEFT_API void weft_blocks_clear(struct weft_blocks *blocks);

#ifdef __cplusplus
}
#endif
#endif
