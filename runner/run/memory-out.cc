/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-out.h"

#include <csignal>
#include <cstdlib>
#include <new>

extern "C"
{
#include "textbuf.h"
}

namespace
{

constexpr size_t PROBE = 1 << 16; //!< bytes; less may still be free in some corner

/** ns3::Object() writes to what malloc() returns without a look at it. @param signal SIGSEGV */
void
AskForMemory(int signal)
{
    std::signal(signal, SIG_DFL); // what it was is done again on return
    void* volatile probe = std::malloc(PROBE);
    if (!probe)
    {
        on_out_of_memory();
    }
}

} // namespace

void
memory_out_is(void (*handler)())
{
    std::set_new_handler(handler);
    on_out_of_memory = handler;
    std::signal(SIGSEGV, AskForMemory);
}
