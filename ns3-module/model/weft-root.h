/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_ROOT_H
#define NS3_WEFT_ROOT_H

#include "ns3/object.h"

#include <vector>

namespace ns3
{

class WeftCollective;
class WeftFabric;

/**
 * @ingroup weft
 * @brief Where Config paths to fabrics and workloads begin: /WeftFabricList/0/ConvergenceDelay,
 * /WeftCollectiveList/0/Done. ConfigStore finds them by it.
 *
 * It lists what has been built and installed in this simulation, in that order.
 */
class WeftRoot : public Object
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftRoot();
    ~WeftRoot() override;

    /** @param fabric that has been built */
    static void Add(Ptr<WeftFabric> fabric);
    /** @param collective that has been installed */
    static void Add(Ptr<WeftCollective> collective);

  protected:
    void DoDispose() override;

  private:
    static Ptr<WeftRoot>& Current(); //!< @return this simulation's, or nullptr
    static Ptr<WeftRoot> Get();      //!< @return this simulation's, which is made if there is none
    static void End();               //!< Simulator::Destroy() was called

    std::vector<Ptr<WeftFabric>> m_fabrics;         //!< "WeftFabricList"
    std::vector<Ptr<WeftCollective>> m_collectives; //!< "WeftCollectiveList"
};

} // namespace ns3

#endif /* NS3_WEFT_ROOT_H */
