/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef WEFT_PACKET_NS3_H
#define WEFT_PACKET_NS3_H

#include <iosfwd>
#include <weft/packet.h>

/** Says what a frame is: its kind, QP and PSN, hosts, length. @param os stream @param p its
 * descriptor @return the stream */
std::ostream& operator<<(std::ostream& os, const weft_packet& p);

#endif /* WEFT_PACKET_NS3_H */
