/* SPDX-License-Identifier: MIT */
/* Memory of the system, in large blocks. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise() */

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <weft/blocks.h>

#define SMALLEST  ((size_t)1 << 18) /* bytes of the first block */
#define LARGEST   ((size_t)1 << 26) /* bytes of one, unless a piece is larger */
#define HUGE_PAGE ((size_t)1 << 21)
#define LINE      ((size_t)64)

/* Head of a block, a line. */
struct weft_block
{
    struct weft_block *former;
    size_t size;
};

static size_t
rounded(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static void
end_without_memory(const struct weft_blocks *blocks)
{
    if (blocks->none)
    {
        blocks->none();
    }
    abort();
}

/* Makes a block of which a piece can be taken. */
static void
grow(struct weft_blocks *blocks, size_t bytes)
{
    const size_t twice = blocks->last ? 2 * blocks->last->size : SMALLEST;
    const size_t least = twice < LARGEST ? twice : LARGEST;
    const size_t size = bytes + LINE > least ? bytes + LINE : least;
    struct weft_block *block =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
    {
        end_without_memory(blocks);
    }
#ifdef MADV_HUGEPAGE
    if (size >= 2 * HUGE_PAGE)
    {
        madvise(block, size, MADV_HUGEPAGE); /* where there are none, small ones do */
    }
#endif
    block->former = blocks->last;
    block->size = size;
    blocks->last = block;
    blocks->free = (char *)block + LINE;
    blocks->left = size - LINE;
}

void *
weft_blocks_take(void *of, size_t bytes)
{
    struct weft_blocks *blocks = of;
    const size_t size = rounded(bytes);
    if (bytes > PTRDIFF_MAX - 2 * LINE)
    {
        end_without_memory(blocks);
    }
    if (size > blocks->left)
    {
        grow(blocks, size);
    }
    void *piece = blocks->free;
    blocks->free += size;
    blocks->left -= size;
    blocks->taken += size;
    return piece;
}

void
weft_blocks_clear(struct weft_blocks *blocks)
{
    while (blocks->last)
    {
        struct weft_block *block = blocks->last;
        blocks->last = block->former;
        munmap(block, block->size);
    }
    blocks->free = NULL;
    blocks->left = 0;
    blocks->taken = 0;
}
