/* SPDX-License-Identifier: MIT */
#include "traffic/double-tree.h"

static uint32_t
lowest_bit(uint32_t v)
{
    return v & (~v + 1);
}

uint32_t
weft_tree_parent(uint32_t v, uint32_t n)
{
    const uint32_t bit = lowest_bit(v), above = (v ^ bit) | bit << 1;
    return above < n ? above : v ^ bit;
}

uint32_t
weft_tree_children(uint32_t v, uint32_t n, uint32_t *children)
{
    uint32_t low = lowest_bit(v) / 2;
    if (low == 0)
    {
        return 0;
    }
    children[0] = v - low;
    while (low > 0 && v + low >= n)
    {
        low /= 2;
    }
    children[1] = v + low;
    return low > 0 ? 2 : 1;
}

/* The root's only child is the greatest power of two. */
uint32_t
weft_tree_height(uint32_t n)
{
    uint32_t levels = 1;
    while (UINT32_C(1) << levels < n)
    {
        levels++;
    }
    return levels;
}

uint32_t
weft_tree_top(uint32_t n)
{
    return UINT32_C(1) << (weft_tree_height(n) - 1);
}

uint32_t
weft_tree_level(uint32_t v)
{
    uint32_t level = 0;
    while (lowest_bit(v) >> level > 1)
    {
        level++;
    }
    return level;
}

uint32_t
weft_tree_depth(uint32_t v, uint32_t n)
{
    uint32_t above = 0;
    for (uint32_t p = weft_tree_parent(v, n); p > 0; p = weft_tree_parent(p, n))
    {
        above++;
    }
    return above;
}

uint32_t
weft_tree_rank(uint32_t second, uint32_t v, uint32_t n)
{
    if (!second)
    {
        return v;
    }
    return n % 2 == 0 ? n - 1 - v : (v + 1) % n;
}
