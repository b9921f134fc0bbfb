/* SPDX-License-Identifier: MIT */
/**
 * @file double-tree.h  NCCL's double binary tree (Sanders, Speck & Traff 2009), as
 * ncclGetDtree() has it.
 *
 * In the first tree, node v > 0 with lowest bit b has the parent (v - b) or 2b, or v - b where that
 * is no node; node 0 is the root and has one child. The second is its mirror image, rank n - 1 - v
 * for node v, or for odd n the same one rank further. A rank that is an inner node in one tree is a
 * leaf in the other; of an odd number, rank 0 alone is an inner node in both, with one child in
 * each.
 */
#ifndef WEFT_DOUBLE_TREE_H
#define WEFT_DOUBLE_TREE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** The parent of node @p v > 0, of @p n nodes. */
    uint32_t weft_tree_parent(uint32_t v, uint32_t n);

    /** Writes the children of node @p v > 0, the lower one first; returns how many, at most 2. */
    uint32_t weft_tree_children(uint32_t v, uint32_t n, uint32_t *children);

    /** The only child of the root, @p n >= 2 nodes. */
    uint32_t weft_tree_top(uint32_t n);

    /** Edges between the root and the node that is farthest from it. */
    uint32_t weft_tree_height(uint32_t n);

    /** Edges between node @p v > 0 and the leaf below it that is farthest from it. */
    uint32_t weft_tree_level(uint32_t v);

    /** Nodes between node @p v > 0 and the root. */
    uint32_t weft_tree_depth(uint32_t v, uint32_t n);

    /** The rank that is node @p v of the first or the second tree. */
    uint32_t weft_tree_rank(uint32_t second, uint32_t v, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif
