// SPDX-License-Identifier: GPL-2.0-only
// A simulation runs before the first WeftHelper: ns-3's resolution cannot change any more, and a
// user would get a crash within ns-3 instead of a sentence on what to do.
#include "weft-death.h"

#include "ns3/simulator.h"
#include "ns3/weft-helper.h"

#include <iostream>

using namespace ns3;

int
main()
{
    Simulator::Schedule(Seconds(1), [] {});
    Simulator::Run();
    Simulator::Destroy();
    for (const auto& act : {+[] { WeftHelper weft; }, +[] { WeftHelper::UsePicoseconds(); }})
    {
        const std::string said = WeftDeathOf(act);
        if (said.find("WeftHelper::UsePicoseconds() first in main()") == std::string::npos)
        {
            std::cerr << "expected a message on what to do; it said: " << said << std::endl;
            return 1;
        }
    }
    return 0;
}
