/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_TRACE_HELPER_H
#define NS3_WEFT_TRACE_HELPER_H

#include "ns3/trace-helper.h"

#include <cstdint>
#include <string>
#include <vector>

struct weft_packet;

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * @brief Writes what devices send and get into files, as pcap or as text, for Wireshark and diff.
 *
 * Frames of QPs are RoCEv2: IPv4 from 10.0.0.1 for host 0 on, UDP to 4791 from the source port that
 * switches hash, made one from 49152 on as those of NICs are, a BTH with QP + 256 and the PSN. Data
 * is RDMA WRITE Only, in which each packet says where its zeros go. ACKs and NACKs have an AETH,
 * CNPs are CNPs. Headers have the lengths that they have in RoCEv2, whatever `header` of the frames
 * counts. The class is in the DSCP, ECN in its bits. PFC frames have no place of their own on a
 * wire here, and are not in there.
 */
class WeftTraceHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    /** @param fabric whose frame it is @param p the descriptor @return the bytes of the frame, from
     * the Ethernet header to the ICRC */
    static std::vector<uint8_t> GetFrame(const WeftFabric& fabric, const weft_packet& p);

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;
};

} // namespace ns3

#endif /* NS3_WEFT_TRACE_HELPER_H */
