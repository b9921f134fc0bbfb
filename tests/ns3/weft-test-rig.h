// SPDX-License-Identifier: GPL-2.0-only
/** @file weft-test-rig.h  A fabric in ns-3 with messages under way, and totals of it. */
#ifndef WEFT_TEST_RIG_H
#define WEFT_TEST_RIG_H

#include "net-inside.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/weft-helper.h"
#include "ns3/weft-nic.h"
#include "ns3/weft-switch.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>
#include <weft/theory.h>

/** Setup of a test case's fabric; the text is that of WeftHelper. */
struct WeftRigSetup
{
    std::string topology{"leaf-spine leaves=4 spines=4 hosts-per-leaf=2 link-rate=100Gbps"};
    std::string balancer{"ecmp"};
    std::string transport{"nic-sr"};
    std::string cc{"none"};
    std::string frames{"roce"};
    std::string buffer{"shared-buffer preset=100g"};
    std::string scheduler{"strict"};
    std::string second{};                 //!< balancer of a second service level, or none
    uint64_t seed{1};                     //!< of all random streams
    uint32_t hosts{0};                    //!< of a graph, in place of the topology
    uint32_t switches{0};                 //!< of it
    std::vector<weft_graph_edge> links{}; //!< of it
};

/** Totals of all QPs and switches of a fabric. */
struct WeftRigTotals
{
    uint64_t sent{0};        //!< first transmissions
    uint64_t resent{0};      //!< retransmissions
    uint64_t nacks{0};       //!< that reached senders
    uint64_t timeouts{0};    //!< RTOs
    uint64_t duplicates{0};  //!< data that arrived again
    uint64_t outOfOrder{0};  //!< data that arrived early
    uint64_t nacksSent{0};   //!< by receivers
    uint64_t torNacks{0};    //!< that reached senders and were made by ToRs
    uint64_t cnps{0};        //!< that reached senders
    uint64_t cuts{0};        //!< of the rate
    uint64_t marks{0};       //!< by switches
    uint64_t pauses{0};      //!< by switches
    uint64_t drops{0};       //!< by switches' buffers
    uint64_t trims{0};       //!< by switches
    uint64_t headerDrops{0}; //!< of headers, by switches
    weft_tor_counters tor;   //!< of all ToRs
};

/** A PFC frame of nobody takes effect now. @param node of the fabric, hosts first */
inline void
WeftPause(ns3::Ptr<ns3::WeftFabric> fabric,
          uint32_t node,
          uint32_t port,
          uint32_t tclass,
          bool pause)
{
    fabric->GetTicks().ChangeNow([=] { net_pause(fabric->GetNet(), node, port, tclass, pause); });
}

/** A fabric for one test case. The simulation is destroyed with it. */
class WeftRig : public ns3::WeftMessageListener
{
  public:
    explicit WeftRig(const WeftRigSetup& setup)
    {
        if (setup.hosts)
        {
            helper.SetGraph(setup.hosts, setup.switches, setup.links);
        }
        else
        {
            helper.SetTopology(setup.topology);
        }
        helper.SetBalancer(setup.balancer);
        helper.SetTransport(setup.transport);
        helper.SetCongestionControl(setup.cc);
        helper.SetFrames(setup.frames);
        helper.SetSwitch(setup.buffer);
        helper.SetScheduler(setup.scheduler);
        if (!setup.second.empty())
        {
            helper.SetBalancer(setup.second, helper.AddServiceLevel(1));
        }
        helper.SetFabricAttribute("Seed", ns3::UintegerValue(setup.seed));
        helper.Install();
        fabric = helper.GetFabric();
    }

    ~WeftRig() override
    {
        ns3::Simulator::Destroy();
    }

    WeftRig(const WeftRig&) = delete;
    WeftRig& operator=(const WeftRig&) = delete;

    void MessageDelivered(const ns3::WeftQp&, uint64_t) override
    {
        delivered++;
        lastDelivered = ns3::WeftNow();
    }

    void MessageAcked(const ns3::WeftQp&, uint64_t) override
    {
        acked++;
        lastAcked = ns3::WeftNow();
    }

    void MessageFailed(const ns3::WeftQp&, uint64_t) override
    {
        failed++;
    }

    /** Creates a QP and posts one message on it. */
    ns3::WeftQp* Send(uint32_t src, uint32_t dst, uint64_t bytes)
    {
        ns3::WeftQp* qp = fabric->CreateQp(src, dst, this);
        fabric->Post(qp, bytes, 0);
        return qp;
    }

    /** Every host sends a message to the host that lies a shift away. */
    void SendAll(uint32_t shift, uint64_t bytes)
    {
        const uint32_t hosts = fabric->GetNHosts();
        for (uint32_t h = 0; h < hosts; h++)
        {
            Send(h, (h + shift) % hosts, bytes);
        }
    }

    /** Every other host sends to host 0. */
    void SendIncast(uint64_t bytes)
    {
        for (uint32_t h = 1; h < fabric->GetNHosts(); h++)
        {
            Send(h, 0, bytes);
        }
    }

    /** @return the number of the link between two switches, given by their indices */
    uint64_t FindLink(uint32_t lower, uint32_t upper) const
    {
        const weft_clos& clos = fabric->GetClos();
        uint64_t i = clos.nhosts;
        for (; i < clos.nlinks; i++)
        {
            weft_link link;
            weft_clos_link(&clos, i, &link);
            if (link.lower.index == lower && link.upper.index == upper)
            {
                break;
            }
        }
        return i;
    }

    /** @return frames and links between two hosts, for the closed forms */
    weft_wire GetWire(uint32_t src, uint32_t dst) const
    {
        const weft_fabric_config& f = fabric->GetFrameConfig();
        const weft_clos& clos = fabric->GetClos();
        return weft_wire{f.payload,
                         f.header,
                         f.gap,
                         f.ack,
                         clos.host_rate,
                         clos.host_delay,
                         weft_clos_hops(&clos, src, dst),
                         1};
    }

    /** WeftPause() of this fabric. */
    void Pause(uint32_t node, uint32_t port, uint32_t tclass, bool pause)
    {
        WeftPause(fabric, node, port, tclass, pause);
    }

    /** @return whether a switch has paused a neighbour */
    bool HasPaused(uint32_t index) const
    {
        return net_has_paused(fabric->GetNet(), index);
    }

    /** @return an empty string if the books balance, else what does not */
    std::string Audit() const
    {
        std::string error;
        fabric->CheckConservation(error);
        return error;
    }

    /** @return the counters of all QPs and switches together */
    WeftRigTotals GetTotals() const
    {
        WeftRigTotals t{};
        for (uint32_t i = 0; i < fabric->GetNQps(); i++)
        {
            AddQp(*fabric->GetQp(i), t);
        }
        for (uint32_t i = 0; i < fabric->GetNSwitches(); i++)
        {
            const weft_mmu& mmu = fabric->GetSwitch(i)->GetBuffer();
            t.marks += mmu.marks;
            t.pauses += mmu.pauses;
            t.drops += mmu.drops;
            t.trims += mmu.trims;
            t.headerDrops += mmu.header_drops;
            AddTor(fabric->GetSwitch(i)->GetTorCounters(), t.tor);
        }
        return t;
    }

    /** @return what the balancer counted at all switches together */
    weft_lb_counters GetLbCounters() const
    {
        weft_lb_counters sum{};
        for (uint32_t i = 0; i < fabric->GetNSwitches(); i++)
        {
            fabric->GetSwitch(i)->AddCounters(sum);
        }
        return sum;
    }

    ns3::WeftHelper helper;           //!< built the fabric
    ns3::Ptr<ns3::WeftFabric> fabric; //!< under test
    uint64_t delivered{0};            //!< messages of Send()
    uint64_t acked{0};                //!< messages of Send()
    uint64_t failed{0};               //!< messages of Send()
    int64_t lastDelivered{-1};        //!< ps
    int64_t lastAcked{-1};            //!< ps

  private:
    void AddQp(const ns3::WeftQp& qp, WeftRigTotals& t) const
    {
        const weft_tx_counters& tx = *fabric->GetTransport()->tx_counters(qp.tx);
        t.sent += tx.sent;
        t.resent += tx.resent;
        t.nacks += tx.nacks;
        t.timeouts += tx.timeouts;
        t.duplicates += qp.duplicates;
        t.outOfOrder += qp.out_of_order;
        t.nacksSent += qp.nacks_sent;
        t.torNacks += qp.tor_nacks;
        t.cnps += qp.cnps;
        t.cuts += fabric->GetCc()->cuts ? fabric->GetCc()->cuts(qp.cc) : 0;
    }

    static void AddTor(const weft_tor_counters& one, weft_tor_counters& all)
    {
        all.seen += one.seen;
        all.valid += one.valid;
        all.invalid += one.invalid;
        all.unknown += one.unknown;
        all.blocked += one.blocked;
        all.scan_passed += one.scan_passed;
        all.scan_cancelled += one.scan_cancelled;
        all.armed += one.armed;
        all.repeated += one.repeated;
        all.compensated += one.compensated;
        all.silent += one.silent;
        all.released += one.released;
        all.turned += one.turned;
        all.cancelled += one.cancelled;
        all.overwritten += one.overwritten;
        all.ring_full += one.ring_full;
    }
};

#endif // WEFT_TEST_RIG_H
