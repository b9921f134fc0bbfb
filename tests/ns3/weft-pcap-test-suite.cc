// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Files of what devices send and get: who opens them in Wireshark would see frames that are
 * malformed, or would miss some.
 */
#include "weft-test-rig.h"

#include "ns3/packet.h"
#include "ns3/pcap-file.h"
#include "ns3/test.h"

#include <array>
#include <fstream>
#include <map>
#include <string>

using namespace ns3;

namespace
{

constexpr uint32_t SIZE = 1000;       //!< bytes of a packet of an IP stack
constexpr uint16_t PROTOCOL = 0x88b5; //!< its EtherType, for experiments

/** Frames of a pcap file. */
struct Found
{
    std::map<uint32_t, uint64_t> opcodes; //!< frames of RoCE by opcode
    uint64_t payload{0};                  //!< bytes that they write from 10.0.0.1
    uint64_t naks{0};                     //!< ACKs that are NAKs
    uint64_t others{0};                   //!< frames of IP stacks
    uint64_t wrong{0};                    //!< frames whose lengths or sums are wrong
    uint64_t early{0};                    //!< frames before the one that stands before them
};

/** @param at two bytes @return their number */
uint32_t
Two(const uint8_t* at)
{
    return static_cast<uint32_t>(at[0]) << 8U | at[1];
}

/** Adds a frame of RoCE, looked at by itself. @param frame bytes @param n how many */
void
AddFrame(Found& found, const uint8_t* frame, uint32_t n)
{
    const uint8_t* ip = frame + 14;
    const uint8_t* udp = ip + 20;
    const uint8_t* bth = udp + 8;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 20; i += 2)
    {
        sum += Two(ip + i);
    }
    const uint32_t opcode = bth[0];
    const uint32_t pad = bth[1] >> 4U & 3U;
    const bool writes = opcode == 0x0a;
    const uint32_t payload = writes ? Two(bth + 12 + 14) : 0;
    const uint32_t behind = writes ? 16 + payload + pad : opcode == 0x11 ? 4 : 16;
    const bool good = ip[0] == 0x45 && Two(ip + 2) + 14 == n &&
                      (sum & 0xffffU) + (sum >> 16U) == 0xffff && Two(udp) >= 0xc000 &&
                      Two(udp + 2) == 4791 && Two(udp + 4) + 34 == n &&
                      n == 14U + 20 + 8 + 12 + behind + 4;
    found.opcodes[opcode]++;
    found.wrong += !good;
    found.payload += ip[15] == 1 ? payload : 0;
    found.naks += opcode == 0x11 && bth[12] == 0x60;
}

/** @param name of a pcap file @return its frames */
Found
Read(const std::string& name)
{
    Found found;
    PcapFile file;
    file.Open(name, std::ios::in);
    uint64_t last = 0;
    while (true)
    {
        std::array<uint8_t, 4000> bytes{};
        uint32_t seconds = 0;
        uint32_t fraction = 0;
        uint32_t n = 0;
        uint32_t whole = 0;
        uint32_t read = 0;
        file.Read(bytes.data(), bytes.size(), seconds, fraction, n, whole, read);
        if (file.Fail() || file.Eof())
        {
            return found;
        }
        found.early += fraction < last; // all in the first second
        last = fraction;
        found.wrong += n != whole;
        if (Two(bytes.data() + 12) == PROTOCOL)
        {
            found.others++;
            found.wrong += n != SIZE + 14;
        }
        else
        {
            AddFrame(found, bytes.data(), n);
        }
    }
}

/** Sources of a NIC and a switch say what stands in their files. */
class PcapTestCase : public TestCase
{
  public:
    PcapTestCase()
        : TestCase("each frame of a device is in its file, as RoCEv2 has it")
    {
    }

  private:
    void Count(const weft_packet& p)
    {
        m_kinds[p.kind]++;
    }

    /** @param name of a file of text @return lines by their first letter */
    static std::map<char, uint64_t> Lines(const std::string& name)
    {
        std::map<char, uint64_t> lines;
        std::ifstream file(name);
        for (std::string line; std::getline(file, line);)
        {
            lines[line[0]]++;
        }
        return lines;
    }

    void DoRun() override
    {
        const std::string nic = CreateTempDirFilename("nic.pcap");
        const std::string sw = CreateTempDirFilename("switch.pcap");
        const std::string text = CreateTempDirFilename("switch.tr");
        uint64_t again = 0;
        uint64_t frames = 0;
        {
            WeftRigSetup setup;
            setup.balancer = "rsq";
            setup.cc = "dcqcn";
            setup.buffer = "shared-buffer preset=100g kmin=5KB kmax=20KB";
            WeftRig rig(setup);
            Ptr<WeftNic> from = rig.fabric->GetNic(0);
            Ptr<WeftSwitch> tor = rig.fabric->GetSwitch(0);
            rig.helper.EnablePcap(nic, from, true, true);
            rig.helper.EnablePcap(sw, tor, true, true);
            AsciiTraceHelper files;
            rig.helper.EnableAscii(files.CreateFileStream(text), tor);
            for (const char* source : {"Tx", "Rx"})
            {
                from->TraceConnectWithoutContext(source, MakeCallback(&PcapTestCase::Count, this));
            }
            rig.SendIncast(100001);
            const WeftQp* qp = rig.Send(0, 2, 100001);
            from->Send(Create<Packet>(SIZE), rig.fabric->GetNic(7)->GetAddress(), PROTOCOL);
            Simulator::Run();
            for (uint32_t i = 0; i < tor->GetNPorts(); i++)
            {
                frames += tor->GetPort(i)->GetFrames();
            }
            again = weft_net_tx_counters(qp)->resent;
        }
        Found found = Read(nic);
        NS_TEST_EXPECT_MSG_EQ(found.wrong, 0, "lengths and sums");
        NS_TEST_EXPECT_MSG_EQ(found.early, 0, "in the order of time, to the nanosecond");
        NS_TEST_EXPECT_MSG_EQ(found.others, 1, "the packet of the stack");
        NS_TEST_EXPECT_MSG_EQ(found.opcodes[0x0a], m_kinds[WEFT_DATA], "data");
        NS_TEST_EXPECT_MSG_EQ(found.opcodes[0x11], m_kinds[WEFT_ACK] + m_kinds[WEFT_NACK], "ACKs");
        NS_TEST_EXPECT_MSG_EQ(found.naks, m_kinds[WEFT_NACK], "NACKs");
        NS_TEST_EXPECT_MSG_EQ(found.opcodes[0x81], m_kinds[WEFT_CNP], "CNPs");
        NS_TEST_EXPECT_MSG_EQ(found.opcodes.size(), 3, "and nothing else");
        NS_TEST_EXPECT_MSG_GT(m_kinds[WEFT_CNP], 0, "there are some");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(found.payload, 100001, "its message");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(found.payload,
                                    100001 + again * 1452,
                                    "and what it sends again");
        const Found all = Read(sw);
        uint64_t there = all.others;
        for (const auto& [opcode, n] : all.opcodes)
        {
            there += n;
        }
        NS_TEST_EXPECT_MSG_EQ(all.wrong, 0, "lengths and sums of the switch");
        NS_TEST_EXPECT_MSG_EQ(there, frames, "all that leaves the switch");
        auto lines = Lines(text);
        NS_TEST_EXPECT_MSG_EQ(lines['-'], frames, "a line for each frame that leaves");
        NS_TEST_EXPECT_MSG_EQ(lines['+'], frames, "and for each that joins a queue");
    }

    std::map<uint32_t, uint64_t> m_kinds; //!< frames of the NIC by kind
};

class WeftPcapTestSuite : public TestSuite
{
  public:
    WeftPcapTestSuite()
        : TestSuite("weft-pcap", Type::UNIT)
    {
        AddTestCase(new PcapTestCase);
    }
};

WeftPcapTestSuite g_weftPcapTestSuite; //!< registers the suite

} // namespace
