// SPDX-License-Identifier: GPL-2.0-only
#include "packet-hop-run.h"

#include "allocation-counter.h"

#include "ns3/event-impl.h"
#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/weft-helper.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <numeric>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>
#include <weft/rng.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

using namespace ns3;

namespace
{

/** A run is given up here: no case takes a hundredth of it. */
constexpr int64_t LIMIT_PS = 1000000000000;

/** The workloads of a run. */
using Jobs = std::vector<Ptr<WeftCollective>>;

double
CpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/** @return Resident memory now, in bytes; 0 where the system does not tell. */
int64_t
ResidentBytes()
{
    long total = 0;
    long resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file)
    {
        if (std::fscanf(file, "%ld %ld", &total, &resident) != 2)
        {
            resident = 0;
        }
        std::fclose(file);
    }
    return int64_t{resident} * sysconf(_SC_PAGESIZE);
}

bool
IsDone(const Jobs& jobs)
{
    return std::all_of(jobs.begin(), jobs.end(), [](const auto& j) { return j->IsDone(); });
}

/** A reading within a window cuts it, which costs time of its own. @param fabric the fabric @param
 * interval ps @return as many whole windows, at least one */
int64_t
WholeWindows(const WeftFabric& fabric, int64_t interval)
{
    const int64_t window = weft_net_window(fabric.GetNet());
    return std::max<int64_t>(interval / window, 1) * window;
}

/** Reads counters every now and then until the workloads are done. Allocates nothing meanwhile. */
class Sampler : public EventImpl
{
  public:
    /** Counters at one time. */
    struct Reading
    {
        int64_t now;          //!< ps
        uint64_t hops;        //!< packet-hops so far
        uint64_t allocations; //!< calls of operator new and of the arena so far
    };

    Sampler(Ptr<WeftFabric> fabric, const Jobs& jobs, int64_t interval)
        : m_fabric(fabric),
          m_jobs(jobs),
          m_interval(WholeWindows(*fabric, interval))
    {
        m_readings.reserve(MOST);
    }

    void Schedule()
    {
        Simulator::Schedule(TimeStep(static_cast<uint64_t>(m_interval)), Ptr<EventImpl>(this));
    }

    /** @return Events that were its own. */
    uint64_t GetCount() const
    {
        return m_count;
    }

    /** @return The most resident memory seen, bytes. */
    int64_t GetResident() const
    {
        return m_resident;
    }

    /** @return The most packets in use seen. */
    uint64_t GetInFlight() const
    {
        return m_inFlight;
    }

    /** @param [in] end When the run ended, ps.
     *  @return Allocations per packet-hop from end/4 to end*3/4; negative: too short to tell. */
    double GetAllocations(int64_t end) const
    {
        const Reading* early = nullptr;
        const Reading* late = nullptr;
        for (const Reading& r : m_readings)
        {
            early = early || r.now < end / 4 ? early : &r;
            late = r.now <= end / 4 * 3 ? &r : late;
        }
        if (!early || !late || late->hops <= early->hops)
        {
            return -1;
        }
        return static_cast<double>(late->allocations - early->allocations) /
               static_cast<double>(late->hops - early->hops);
    }

  private:
    static constexpr size_t MOST = 1 << 16; //!< readings; a longer run is read no further

    void Notify() override
    {
        m_count++;
        m_resident = std::max(m_resident, ResidentBytes());
        const WeftCounters c = m_fabric->GetCounters();
        const uint64_t ended = std::accumulate(std::begin(c.lost), std::end(c.lost), c.delivered);
        m_inFlight = std::max(m_inFlight, c.sent + c.made_by_tors - ended);
        m_readings.push_back({Simulator::Now().GetTimeStep(), c.hops, WeftAllocationCount()});
        if (!IsDone(m_jobs) && m_readings.size() < MOST)
        {
            Schedule();
        }
    }

    Ptr<WeftFabric> m_fabric;        //!< what is read
    const Jobs& m_jobs;              //!< its workloads
    int64_t m_interval;              //!< between two readings, ps
    uint64_t m_count{0};             //!< events
    int64_t m_resident{0};           //!< most memory seen
    uint64_t m_inFlight{0};          //!< most packets seen
    std::vector<Reading> m_readings; //!< in order
};

std::string
ChosenSimulator()
{
    StringValue name;
    GlobalValue::GetValueByName("SimulatorImplementationType", name);
    return name.Get();
}

std::string
ChosenScheduler()
{
    TypeIdValue type;
    GlobalValue::GetValueByName("SchedulerType", type);
    return type.Get().GetName();
}

void
ChooseSimulator(const BenchSetting& s)
{
    // Picoseconds are what a scenario gets, unless something else is asked for.
    WeftHelper::UsePicoseconds();
    if (!s.simulator.empty())
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue(s.simulator));
    }
    if (!s.scheduler.empty())
    {
        GlobalValue::Bind("SchedulerType", StringValue(s.scheduler));
    }
}

Ptr<WeftCollective>
InstallRing(const BenchSetting& s, WeftHelper& weft)
{
    std::vector<weft_table_flow> flows(s.what.busy);
    FillBenchRing(&s.what, weft.GetFabric()->GetNHosts(), s.bytes, flows.data());
    weft_table table{};
    table.flows = flows.data();
    table.nflows = s.what.busy;
    return weft.InstallWorkload(s.what.workload, &table);
}

Jobs
Build(const BenchSetting& s, WeftHelper& weft)
{
    weft.SetTopology(s.what.topology);
    weft.SetFrames(s.what.frames);
    weft.SetSwitch(s.what.switches);
    weft.SetBalancer(s.what.balancer);
    weft.SetTransport(s.what.transport);
    weft.SetCongestionControl(s.what.congestionControl);
    weft.Install();
    const std::string text =
        std::string(s.what.workload) + " bytes=" + std::to_string(s.bytes) + "B";
    Jobs jobs;
    if (s.what.busy > 0)
    {
        jobs.push_back(InstallRing(s, weft));
    }
    else if (s.what.shifts == 0)
    {
        jobs.push_back(weft.InstallWorkload(text));
    }
    for (uint32_t i = 1; i <= s.what.shifts; i++)
    {
        jobs.push_back(weft.InstallWorkload(text + " shift=" + std::to_string(15 * i)));
    }
    return jobs;
}

uint64_t
TotalBytes(const Jobs& jobs)
{
    uint64_t bytes = 0;
    for (const auto& job : jobs)
    {
        bytes += job->GetTotalBytes();
    }
    return bytes;
}

/** A 64th of the time that the hosts' links need at least, but no less than 0.1 us. */
int64_t
SampleInterval(const WeftFabric& fabric, const Jobs& jobs)
{
    const double bits = static_cast<double>(TotalBytes(jobs)) * 8;
    const double rate = static_cast<double>(fabric.GetHostRate().GetBitRate()) * fabric.GetNHosts();
    return std::max<int64_t>(static_cast<int64_t>(bits / rate * 1e12 / 64), 100000);
}

/** Reads what users would notice of a run: when each message was posted, delivered and
 * acknowledged. */
void
ReadTimes(const Jobs& jobs, BenchResult& r)
{
    for (const auto& job : jobs)
    {
        r.end = std::max(r.end, job->GetCompletionTime().GetTimeStep());
        for (const WeftCollective::Times& t : job->GetTimes())
        {
            for (const int64_t when : {t.posted, t.delivered, t.acked})
            {
                r.digest = weft_mix64(r.digest ^ static_cast<uint64_t>(when));
            }
        }
    }
}

/** @return the sentence that says what is wrong with a run, or nothing. */
std::string
CheckRun(const WeftFabric& fabric, const Jobs& jobs)
{
    std::string error;
    if (!IsDone(jobs))
    {
        return "messages are missing";
    }
    if (!fabric.CheckConservation(error))
    {
        return error;
    }
    if (fabric.GetPacketsInUse() != 0)
    {
        return "packets are left in the fabric";
    }
    if (fabric.GetCounters().payload != TotalBytes(jobs))
    {
        return "not every byte was delivered once";
    }
    return "";
}

} // namespace

BenchResult
RunBenchCase(const BenchSetting& setting)
{
    const double begin = CpuSeconds();
    BenchResult r;
    ChooseSimulator(setting);
    WeftHelper weft;
    const Jobs jobs = Build(setting, weft);
    const WeftFabric& fabric = *weft.GetFabric();
    Ptr<Sampler> sampler(new Sampler(weft.GetFabric(), jobs, SampleInterval(fabric, jobs)), false);
    sampler->Schedule();
    Simulator::Stop(TimeStep(static_cast<uint64_t>(LIMIT_PS)));
    r.setupSeconds = CpuSeconds() - begin;
#if defined(__GLIBC__)
    malloc_trim(0); // so that the run cannot hide its memory in what set-up gave back
#endif
    const int64_t resident = ResidentBytes();

    const double start = CpuSeconds();
    Simulator::Run();
    r.seconds = CpuSeconds() - start;

    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    r.peakBytes = int64_t{usage.ru_maxrss} * 1024;
    r.runBytes = std::max<int64_t>(std::max(sampler->GetResident(), ResidentBytes()) - resident, 0);
    r.inFlight = sampler->GetInFlight();
    r.simulator = ChosenSimulator();
    r.scheduler = ChosenScheduler();
    r.hosts = fabric.GetNHosts();
    r.hops = fabric.GetCounters().hops;
    r.events = Simulator::GetEventCount() - sampler->GetCount();
    ReadTimes(jobs, r);
    r.allocations = sampler->GetAllocations(r.end);
    r.error = CheckRun(fabric, jobs);
    Simulator::Destroy();
    return r;
}
