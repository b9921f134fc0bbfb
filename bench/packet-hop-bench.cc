// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What a packet-hop costs: a packet, data or ACK alike, that crosses one link.
 *
 * With --case it runs one case once and prints one line of name=value pairs. With --plan it prints
 * which such runs a table is made of; packet-hop-bench.sh carries them out. A run that loses a
 * message or breaks an account exits with 1; no time ever makes it fail.
 */
#include "packet-hop-options.h"
#include "packet-hop-run.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace
{

/** Prints a run's line. */
void
PrintResult(const BenchSetting& s, const BenchResult& r)
{
    const double hops = static_cast<double>(std::max<uint64_t>(r.hops, 1));
    std::printf("case=%c name=%s bytes=%" PRId64 " hosts=%" PRIu32 " simulator=%s scheduler=%s",
                s.what.letter,
                s.what.name,
                s.bytes,
                r.hosts,
                r.simulator.c_str(),
                r.scheduler.c_str());
    std::printf(" setup_s=%.3f cpu_s=%.3f hops=%" PRIu64 " events=%" PRIu64 " ns_per_hop=%.2f",
                r.setupSeconds,
                r.seconds,
                r.hops,
                r.events,
                r.seconds * 1e9 / hops);
    std::printf(" events_per_hop=%.4f allocations_per_hop=", static_cast<double>(r.events) / hops);
    std::printf(r.allocations < 0 ? "-" : "%.6f", r.allocations);
    std::printf(" peak_bytes=%" PRId64 " run_bytes=%" PRId64 " in_flight=%" PRIu64,
                r.peakBytes,
                r.runBytes,
                r.inFlight);
    std::printf(" completion_ps=%" PRId64 " digest=%016" PRIx64 "\n", r.end, r.digest);
}

int
RunOne(const BenchSetting& setting)
{
    const BenchResult result = RunBenchCase(setting);
    PrintResult(setting, result);
    if (!result.error.empty())
    {
        std::fprintf(stderr,
                     "weft bench: case %c: %s\n",
                     setting.what.letter,
                     result.error.c_str());
        return 1;
    }
    return 0;
}

/** Prints the runs that a table needs: the case, what the run is for, and its options. */
void
PrintPlan(const BenchOptions& options)
{
    if (options.Has("case"))
    {
        return; // no table
    }
    for (const BenchCase* c : options.GetCases())
    {
        const int64_t bytes = options.GetSetting(*c).bytes;
        const int64_t count = std::min(bytes, c->countBytes);
        std::printf("%c run --case=%c\n", c->letter, c->letter);
        if (!options.Has("no-instructions") && count > 0)
        {
            for (const int64_t size : {count, 2 * count})
            {
                std::printf("%c count --case=%c --bytes=%" PRId64 "B\n",
                            c->letter,
                            c->letter,
                            size);
            }
        }
    }
}

void
PrintCases()
{
    for (const BenchCase& c : BENCH_CASES)
    {
        std::printf("%c  %s\n   topology            %s\n   fabric              %s\n",
                    c.letter,
                    c.name,
                    c.topology,
                    c.frames);
        std::printf(
            "   switch              %s\n   balancer            %s\n   transport           %s\n",
            c.switches,
            c.balancer,
            c.transport);
        std::printf("   congestion-control  %s\n   workload            %s bytes=%" PRId64 "B",
                    c.congestionControl,
                    c.workload,
                    c.bytes);
        if (c.busy > 0)
        {
            std::printf(", by %" PRIu32 " hosts", c.busy);
        }
        if (c.shifts > 0)
        {
            std::printf(", %" PRIu32 " times: shift=15, 30, ...", c.shifts);
        }
        std::printf("\n");
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    BenchOptions options;
    std::string error;
    if (!options.Parse(argc, argv, error))
    {
        std::fprintf(stderr, "weft bench: %s\n", error.c_str());
        return 2;
    }
    if (options.Has("help"))
    {
        std::fputs(BenchOptions::GetHelp().c_str(), stdout);
    }
    else if (options.Has("list"))
    {
        PrintCases();
    }
    else if (options.Has("plan"))
    {
        PrintPlan(options);
    }
    else if (options.Has("case"))
    {
        return RunOne(options.GetSetting(*options.GetCases()[0]));
    }
    else
    {
        std::fprintf(stderr, "weft bench: --case=NAME is missing; packet-hop-bench.sh runs all\n");
        return 2;
    }
    return 0;
}
