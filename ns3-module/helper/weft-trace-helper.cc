/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-trace-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/packet.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/simulator.h"
#include "ns3/weft-fabric.h"
#include "ns3/weft-nic.h"
#include "ns3/weft-packet.h"
#include "ns3/weft-switch.h"

#include <algorithm>
#include <array>
#include <iomanip>

namespace ns3
{

namespace
{

using Bytes = std::vector<uint8_t>;

constexpr std::size_t ETHERNET = 14;  //!< bytes of a header
constexpr std::size_t IP = 20;        //!< the same
constexpr std::size_t UDP = 8;        //!< the same
constexpr std::size_t BTH = 12;       //!< the same
constexpr std::size_t ICRC = 4;       //!< bytes
constexpr uint16_t ROCE = 4791;       //!< UDP port
constexpr uint16_t DYNAMIC = 0xc000;  //!< bits of source ports, which belong to no protocol
constexpr uint32_t FIRST_QPN = 256;   //!< of QP 0: those of management are below
constexpr uint8_t WRITE_ONLY = 0x0a;  //!< opcode
constexpr uint8_t ACKNOWLEDGE = 0x11; //!< opcode
constexpr uint8_t CNP = 0x81;         //!< opcode
constexpr uint8_t ACK = 0x1f;         //!< AETH: no credits are counted
constexpr uint8_t NAK = 0x60;         //!< AETH: a PSN is missing

/** Adds the last @p n bytes of a number, the greatest first. */
void
Add(Bytes& to, uint64_t number, unsigned n)
{
    while (n-- > 0)
    {
        to.push_back(static_cast<uint8_t>(number >> (8 * n)));
    }
}

/** @param bytes any @return their CRC as of Ethernet */
uint32_t
Crc32(const Bytes& bytes)
{
    uint32_t crc = UINT32_MAX;
    for (const uint8_t byte : bytes)
    {
        crc ^= byte;
        for (int i = 0; i < 8; i++)
        {
            crc = (crc >> 1U) ^ ((crc & 1U) ? 0xedb88320U : 0U);
        }
    }
    return ~crc;
}

/** @param ip header with a checksum of 0 @return its checksum */
uint16_t
IpChecksum(const uint8_t* ip)
{
    uint32_t sum = 0;
    for (std::size_t i = 0; i < IP; i += 2)
    {
        sum += static_cast<uint32_t>(ip[i] << 8U | ip[i + 1]);
    }
    sum = (sum & 0xffffU) + (sum >> 16U);
    return static_cast<uint16_t>(~((sum & 0xffffU) + (sum >> 16U)));
}

/** @param frame from its Ethernet header on, whole but for this @return the invariant CRC: of all
 * that routers leave as it is */
uint32_t
InvariantCrc(const Bytes& frame)
{
    Bytes covered(8, 0xff);
    covered.insert(covered.end(), frame.begin() + ETHERNET, frame.end());
    uint8_t* ip = covered.data() + 8;
    for (const std::size_t at : {std::size_t{1},
                                 std::size_t{8},
                                 std::size_t{10},
                                 std::size_t{11},
                                 IP + 6,
                                 IP + 7,
                                 IP + UDP + 4})
    {
        ip[at] = 0xff; // class, TTL, checksums, congestion bits
    }
    return Crc32(covered);
}

void
AddAddress(Bytes& to, const WeftFabric& fabric, uint32_t host)
{
    std::array<uint8_t, 6> address{};
    Mac48Address::ConvertFrom(fabric.GetNic(host)->GetAddress()).CopyTo(address.data());
    to.insert(to.end(), address.begin(), address.end());
}

/** Adds the headers below RoCE. @param length of what follows them */
void
AddLowerHeaders(Bytes& to, const WeftFabric& fabric, const weft_packet& p, std::size_t length)
{
    const unsigned ecn = (p.flags & WEFT_F_CE) && p.kind == WEFT_DATA ? 3
                       : p.kind == WEFT_DATA                          ? 2
                                                                      : 0;
    AddAddress(to, fabric, p.dst);
    AddAddress(to, fabric, p.src);
    Add(to, 0x0800, 2);
    Add(to, 0x45, 1);
    Add(to, p.tclass << 5U | ecn, 1);
    Add(to, IP + UDP + length, 2);
    Add(to, p.psn & 0xffffU, 2);
    Add(to, 0x4000, 2); // no fragments
    Add(to, 64, 1);
    Add(to, 17, 1);
    Add(to, 0, 2);
    for (const uint32_t host : {uint32_t{p.src}, uint32_t{p.dst}})
    {
        Add(to, (10U << 24U) + host + 1, 4);
    }
    const uint16_t sum = IpChecksum(to.data() + ETHERNET);
    to[ETHERNET + 10] = static_cast<uint8_t>(sum >> 8U);
    to[ETHERNET + 11] = static_cast<uint8_t>(sum);
    Add(to, p.sport | DYNAMIC, 2);
    Add(to, ROCE, 2);
    Add(to, UDP + length, 2);
    Add(to, 0, 2);
}

/** @param p data @param payload of it @return what stands behind the BTH */
Bytes
DataBehind(const weft_packet& p, uint32_t payload)
{
    Bytes rest;
    Add(rest, uint64_t{p.psn} * payload, 8); // RETH: where it goes, the key, the length
    Add(rest, p.qp, 4);
    Add(rest, payload, 4);
    rest.resize(rest.size() + (payload + 3U) / 4U * 4U);
    return rest;
}

/** @param p a reply @return what stands behind the BTH */
Bytes
ReplyBehind(const weft_packet& p)
{
    Bytes rest;
    if (p.kind == WEFT_ACK || p.kind == WEFT_NACK)
    {
        Add(rest, p.kind == WEFT_ACK ? ACK : NAK, 1);
        Add(rest, p.psn, 3);
    }
    rest.resize(p.kind == WEFT_CNP ? 16 : rest.size());
    return rest;
}

} // namespace

std::vector<uint8_t>
WeftTraceHelper::GetFrame(const WeftFabric& fabric, const weft_packet& p)
{
    const auto header = static_cast<uint32_t>(fabric.GetFrameConfig().header);
    const bool data = p.kind == WEFT_DATA;
    const uint32_t payload = data && p.bytes > header ? p.bytes - header : 0;
    const Bytes rest = data ? DataBehind(p, payload) : ReplyBehind(p);
    // An ACK of RoCE names the last packet that is there, Weft's the next one.
    const uint32_t psn = p.kind == WEFT_ACK ? p.psn - 1U : p.psn;
    Bytes frame;
    AddLowerHeaders(frame, fabric, p, BTH + rest.size() + ICRC);
    Add(frame, data ? WRITE_ONLY : p.kind == WEFT_CNP ? CNP : ACKNOWLEDGE, 1);
    Add(frame,
        (data && (p.flags & WEFT_F_LAST) ? 0x80U : 0U) | ((4U - payload % 4U) % 4U) << 4U,
        1);
    Add(frame, 0xffff, 2);
    Add(frame, 0, 1);
    Add(frame, FIRST_QPN + p.qp, 3);
    Add(frame, data && (p.flags & WEFT_F_ACK_REQ) ? 0x80 : 0, 1);
    Add(frame, psn & WEFT_PSN_MASK, 3);
    frame.insert(frame.end(), rest.begin(), rest.end());
    const uint32_t crc = InvariantCrc(frame);
    for (unsigned i = 0; i < ICRC; i++)
    {
        frame.push_back(static_cast<uint8_t>(crc >> (8U * i)));
    }
    return frame;
}

namespace
{

/** File of a device. Goes with the device, whose sources have it. */
struct Capture : public SimpleRefCount<Capture>
{
    WeftFabric* fabric{nullptr};     //!< lives as long as frames come
    uint32_t port{0};                //!< of the host
    bool several{false};             //!< it has several ports
    Ptr<PcapFileWrapper> file;       //!< pcap
    Ptr<OutputStreamWrapper> stream; //!< or text
};

void
WritePcap(const Capture& c, const weft_packet& p)
{
    if (p.kind == WEFT_RAW || p.kind == WEFT_CONTROL)
    {
        return; // Sniff() has those of IP stacks; switches speak no protocol of RoCE
    }
    const Bytes frame = WeftTraceHelper::GetFrame(*c.fabric, p);
    c.file->Write(Simulator::Now(), frame.data(), static_cast<uint32_t>(frame.size()));
}

/** Writes a line: what happens, when, at which port, to what. */
void
WriteText(const Capture& c, char what, uint32_t port, const weft_packet& p)
{
    const int64_t now = WeftNow();
    *c.stream->GetStream() << what << ' ' << now / 1000000000000 << '.' << std::setw(12)
                           << std::setfill('0') << now % 1000000000000 << " port " << port << ' '
                           << p << '\n';
}

void
Sent(Ptr<Capture> c, const weft_packet& p)
{
    if (!c->several || p.in_port == c->port + 1)
    {
        c->file ? WritePcap(*c, p) : WriteText(*c, 't', c->port, p);
    }
}

void
Received(Ptr<Capture> c, const weft_packet& p)
{
    if (p.in_port == c->port)
    {
        c->file ? WritePcap(*c, p) : WriteText(*c, 'r', c->port, p);
    }
}

void
Sniffed(Ptr<Capture> c, Ptr<const Packet> frame)
{
    c->file->Write(Simulator::Now(), frame);
}

void
Enqueued(Ptr<Capture> c, const weft_packet& p, uint32_t port)
{
    WriteText(*c, '+', port, p);
}

void
Dequeued(Ptr<Capture> c, const weft_packet& p, uint32_t port)
{
    if (!c->file)
    {
        WriteText(*c, '-', port, p);
    }
    else if (p.kind != WEFT_RAW)
    {
        WritePcap(*c, p);
    }
    else
    {
        c->file->Write(Simulator::Now(), c->fabric->GetPayload(p).GetFrame());
    }
}

void
Dropped(Ptr<Capture> c, const weft_packet& p)
{
    WriteText(*c, 'd', p.in_port, p);
}

void
Lost(Ptr<Capture> c, const weft_packet& p, weft_net_loss)
{
    WriteText(*c, 'd', p.in_port, p);
}

/** Has a device's sources write. @return whether it is one of a fabric */
bool
Connect(Ptr<NetDevice> device, Ptr<Capture> c)
{
    const bool pcap = c->file != nullptr;
    if (const auto port = DynamicCast<WeftHostPort>(device))
    {
        const Ptr<WeftNic> nic = port->GetFabric()->GetNic(port->GetHost());
        c->fabric = PeekPointer(port->GetFabric());
        c->port = port->GetIndex();
        c->several = nic->GetNPorts() > 1;
        nic->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Sent, c));
        nic->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Received, c));
        if (pcap)
        {
            port->TraceConnectWithoutContext("PromiscSniffer", MakeBoundCallback(&Sniffed, c));
        }
        else
        {
            nic->TraceConnectWithoutContext("RxDrop", MakeBoundCallback(&Lost, c));
        }
        return true;
    }
    const auto sw = DynamicCast<WeftSwitch>(device);
    if (sw)
    {
        c->fabric = PeekPointer(sw->GetFabric());
        sw->TraceConnectWithoutContext("Dequeue", MakeBoundCallback(&Dequeued, c));
    }
    if (sw && !pcap)
    {
        sw->TraceConnectWithoutContext("Enqueue", MakeBoundCallback(&Enqueued, c));
        sw->TraceConnectWithoutContext("Drop", MakeBoundCallback(&Dropped, c));
        sw->TraceConnectWithoutContext("RxDrop", MakeBoundCallback(&Lost, c));
    }
    return sw != nullptr;
}

/** @param device any @return whether it belongs to a fabric */
bool
IsOfFabric(Ptr<NetDevice> device)
{
    return DynamicCast<WeftHostPort>(device) || DynamicCast<WeftSwitch>(device);
}

} // namespace

void
WeftTraceHelper::EnablePcapInternal(std::string prefix,
                                    Ptr<NetDevice> device,
                                    bool,
                                    bool explicitFilename)
{
    if (!IsOfFabric(device))
    {
        return; // EnablePcapAll() has all devices there are
    }
    const std::string name =
        explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, device);
    const auto capture = Create<Capture>();
    capture->file = CreateObject<PcapFileWrapper>();
    capture->file->SetAttribute("NanosecMode", BooleanValue(true)); // a frame takes less than 1 us
    capture->file->Open(name, std::ios::out);
    NS_ABORT_MSG_IF(capture->file->Fail(), "Weft: EnablePcap() cannot write " << name);
    capture->file->Init(PcapHelper::DLT_EN10MB);
    Connect(device, capture);
}

void
WeftTraceHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                     std::string prefix,
                                     Ptr<NetDevice> device,
                                     bool explicitFilename)
{
    if (!IsOfFabric(device))
    {
        return; // EnableAsciiAll() has all devices there are
    }
    AsciiTraceHelper files;
    const auto capture = Create<Capture>();
    capture->stream =
        stream ? stream
               : files.CreateFileStream(
                     explicitFilename ? prefix : files.GetFilenameFromDevice(prefix, device));
    Connect(device, capture);
}

} // namespace ns3
