/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NICs and their QPs over a network that does whatever an input says. Else messages are lost or
 * told of twice, ACKs name what has not arrived, or a QP sleeps for ever.
 */
#include "fuzz.h"
#include "qp-link.h"

/* At the end of the input nothing happens any more: no fault, no message. */
static uint32_t
draw(void *context, uint32_t n)
{
    struct fuzz_input *in = context;
    return in->left > 0 ? fuzz_below(in, n) : n - 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const transports[] = {"gbn",        "nic-sr",  "ideal",
                                             "sack",       "erasure", "trim",
                                             "pro-window", "mprdma",  "multipath-timers"};
    struct fuzz_input in = {data, size};
    const uint32_t transport = fuzz_below(&in, 9);
    struct qp_link link = {
        .transport = transports[transport],
        .outstanding = 8 + fuzz_below(&in, 57),
        .rto = 200,
        .first_psn = (uint32_t)fuzz_number(&in, 3),
        .ack_every = 1 + fuzz_below(&in, 20),
        .batch = 1 + fuzz_below(&in, 4),
        .retry_limit = fuzz_below(&in, 4),
        .window = fuzz_below(&in, 40),
        .steps = 1500,
        .loss = fuzz_below(&in, 64),
        .copies = fuzz_below(&in, 32),
        .jitter = fuzz_below(&in, 32),
        .unrest = fuzz_below(&in, 32),
        .draw = draw,
        .context = &in,
    };
    link.copies = transport == 4 ? 0 : link.copies; /* each of its symbols has one answer */
    link.trim = transport == 5 ? fuzz_below(&in, 64) : 0;
    qp_link_run(&link);
    return 0;
}
