/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-out.h"

#include <new>

extern "C"
{
#include "textbuf.h"
}

void
memory_out_is(void (*handler)())
{
    std::set_new_handler(handler);
    on_out_of_memory = handler;
}
