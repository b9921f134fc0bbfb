/* SPDX-License-Identifier: MIT */
/* Weights of the ports of one group, as small as a switch would store them. */
#include "topo/fib.h"

/* Divides by the greatest common divisor, and looks at what comes out. */
static void
divide(uint64_t *weight, uint32_t n, struct weft_fib_rounds *out)
{
    uint64_t divisor = 0;
    for (uint32_t i = 0; i < n && divisor != 1; i++)
    {
        for (uint64_t a = weight[i]; a > 0;)
        {
            const uint64_t rest = divisor % a;
            divisor = a;
            a = rest;
        }
    }
    out->ports = 0;
    out->least = UINT64_MAX;
    out->most = 0;
    out->total = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        if (weight[i] > 0)
        {
            weight[i] /= divisor;
            out->ports++;
            out->total += weight[i];
            out->least = weight[i] < out->least ? weight[i] : out->least;
            out->most = weight[i] > out->most ? weight[i] : out->most;
        }
    }
}

void
weft_fib_reduce(uint64_t *weight, uint32_t n, bool weighted, struct weft_fib_rounds *out)
{
    for (uint32_t i = 0; i < n && !weighted; i++)
    {
        weight[i] = weight[i] > 0;
    }
    divide(weight, n, out);
    const uint64_t most = out->ports > WEFT_MAX_CANDIDATES ? out->ports : WEFT_MAX_CANDIDATES;
    if (out->total <= most)
    {
        return;
    }
    /* Each live port keeps one place at least; what is left is shared in proportion. */
    for (uint32_t i = 0; i < n; i++)
    {
        if (weight[i] > 0)
        {
            weight[i] = 1 + (weight[i] - 1) * (most - out->ports) / (out->total - out->ports);
        }
    }
    divide(weight, n, out);
}

uint64_t
weft_fib_words(const struct weft_fib_rounds *r)
{
    return WEFT_FIB_HEAD + r->ports + r->total - r->ports * r->least;
}

void
weft_fib_write(const struct weft_fib_rounds *r, const uint64_t *weight, const uint16_t *port,
               uint32_t first, uint32_t n, uint16_t *to)
{
    to[0] = (uint16_t)r->total;
    to[1] = (uint16_t)r->ports;
    to[2] = (uint16_t)(r->ports * r->least);
    to += WEFT_FIB_HEAD;
    for (uint64_t round = r->least; round <= r->most; round++)
    {
        for (uint32_t i = 0; i < n; i++)
        {
            if (weight[i] >= round && weight[i] > 0)
            {
                *to++ = port ? port[i] : (uint16_t)(first + i);
            }
        }
    }
}
