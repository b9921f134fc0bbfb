/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-packet.h"

#include <ostream>

std::ostream&
operator<<(std::ostream& os, const weft_packet& p)
{
    static const char* const kinds[] =
        {"data", "ACK", "NACK", "CNP", "pull", "IP packet", "control"};
    os << kinds[p.kind];
    if (p.kind != WEFT_RAW)
    {
        os << " of QP " << p.qp;
    }
    if (p.kind == WEFT_DATA || p.kind == WEFT_ACK || p.kind == WEFT_NACK)
    {
        os << (p.kind == WEFT_DATA ? " PSN " : " ePSN ") << p.psn;
    }
    return os << " from host " << p.src << " to host " << p.dst << ", " << p.bytes << " B";
}
