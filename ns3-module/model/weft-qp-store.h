/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_QP_STORE_H
#define NS3_WEFT_QP_STORE_H

#include "weft-connection.h"
#include "weft-qp.h"
#include "weft-service-level.h"
#include "weft-sites.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * @brief A fabric's QPs and connections by number, and how QPs begin.
 *
 * QPs are made with all the states that algorithms keep of them; they live as long as the store, or
 * as a scheduler holds their event.
 */
class WeftQpStore
{
  public:
    /** @param sites what algorithms are told; outlives this */
    explicit WeftQpStore(const WeftSites& sites);
    ~WeftQpStore();
    WeftQpStore(const WeftQpStore&) = delete;
    WeftQpStore& operator=(const WeftQpStore&) = delete;

    /** @param index below GetN() @return the QP */
    WeftQp* Get(uint32_t index) const
    {
        return m_qps[index];
    }

    /** @return QPs made so far */
    uint32_t GetN() const
    {
        return static_cast<uint32_t>(m_qps.size());
    }

    /** @return all of them, by index */
    const std::vector<WeftQp*>& GetAll() const
    {
        return m_qps;
    }

    /** Makes a QP, which concerns nobody yet; a refusal of its algorithms is fatal.
     * @param src sending host @param dst receiving host @param level its service level, which
     * outlives it @param stream where its random numbers begin: of TakeStream(), or of a connection
     * and a part @return the QP */
    WeftQp* Create(uint32_t src, uint32_t dst, const WeftServiceLevel& level, uint64_t stream);
    /** @return where the random numbers begin of a QP of its own, or of a connection's first one */
    uint64_t TakeStream();
    /** Starts a QP's state at ToRs anew, if it has one: a ring that holds PSNs from before a
     * failure says nothing. @param qp the QP */
    void RestartTor(WeftQp* qp) const;

    /** See WeftFabric::AddStarters(). @param qps by host: with how many it starts @param created
     * QPs in all */
    void AddStarters(const std::vector<uint32_t>& qps, uint32_t created);
    /** See WeftFabric::GetQpBdp(). @param src a QP's sending host @param dst its receiving host
     * @return packets */
    uint32_t GetBdp(uint32_t src, uint32_t dst) const;

    /** @return which messages are acknowledged although their receivers do not have them whole;
     * empty: none, as it must be */
    std::string DescribeUndelivered() const;

    /** Makes a connection. @param fabric the fabric @param src sending host @param dst receiving
     * host @param listener told when messages are done, or nullptr @param level service level
     * @return the connection */
    WeftConnection* Connect(WeftFabric* fabric,
                            uint32_t src,
                            uint32_t dst,
                            WeftMessageListener* listener,
                            uint32_t level);

  private:
    void CountStarter(uint32_t host); //!< @param host has one more QP
    /** @param qp gets its states @param site where it is; the rest is filled in @param level its
     * service level */
    void InitState(WeftQp* qp, weft_qp_site& site, const WeftServiceLevel& level) const;
    /** @param qp gets its states at ToRs @param level its service level */
    void InitTor(WeftQp* qp, const WeftServiceLevel& level) const;

    const WeftSites& m_sites;                                   //!< what algorithms are told
    std::vector<WeftQp*> m_qps;                                 //!< by index
    std::vector<std::unique_ptr<WeftConnection>> m_connections; //!< what messages go over
    std::vector<uint32_t> m_starters; //!< by host: QPs that share its line
    uint32_t m_announced{0};          //!< QPs still to be created that are counted there
    uint64_t m_streams{0};            //!< taken: QPs of their own, and connections
};

} // namespace ns3

#endif /* NS3_WEFT_QP_STORE_H */
