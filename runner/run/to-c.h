/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/** @file to-c.h  What C++ has collected, as C keeps it. */
#ifndef WEFT_RUNNER_TO_C_H
#define WEFT_RUNNER_TO_C_H

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

/** Copies a vector into memory that run_results_free() releases. @param v the vector @param p gets
 * the memory, also of an empty one @param n gets how many there are */
template <typename T>
void
ToC(const std::vector<T> &v, T *&p, size_t &n)
{
    p = static_cast<T *>(std::malloc(v.size() * sizeof(T) + 1));
    if (!p)
    {
        throw std::bad_alloc();
    }
    if (!v.empty())
    {
        std::memcpy(p, v.data(), v.size() * sizeof(T));
    }
    n = v.size();
}

#endif
