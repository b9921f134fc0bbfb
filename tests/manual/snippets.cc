/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Runs one C++ block of the manual's pages: the one that begins at PAGE:LINE, with the arguments
// that follow. programs.sh makes the three .inc files of the pages.
#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/weft-channel.h"
#include "ns3/weft-collective.h"
#include "ns3/weft-fabric.h"
#include "ns3/weft-helper.h"
#include "ns3/weft-nic.h"
#include "ns3/weft-rdma-application.h"
#include "ns3/weft-switch.h"

#include "cc-includes.inc"

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

#include "cc-bodies.inc"

static const struct
{
    const char* name;
    int (*run)(int, char**);
} snippets[] = {
#include "cc-table.inc"
};

int
main(int argc, char* argv[])
{
    for (const auto& snippet : snippets)
    {
        if (argc > 1 && std::string(argv[1]) == snippet.name)
        {
            return snippet.run(argc - 1, argv + 1);
        }
    }
    std::cerr << "there is no such block in this build: " << (argc > 1 ? argv[1] : "PAGE:LINE")
              << "\n";
    return 2;
}
