// SPDX-License-Identifier: GPL-2.0-only
// ns-3's own test runner over the suites linked in here: --list, --suite=NAME, --help.
#include "ns3/test.h"

int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}
