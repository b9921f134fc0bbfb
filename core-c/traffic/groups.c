/* SPDX-License-Identifier: MIT */
#include "traffic/groups.h"

#include <stdbool.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>

/* "place" and "sprd" in ASCII: one random stream for a run's placement, one per host for its start.
 */
#define PLACE_STREAM  UINT64_C(0x706c616365)
#define SPREAD_STREAM (UINT64_C(0x73707264) << 32)

/* Returns the number of hosts before a place of the fabric. */
static uint32_t
hosts_before(const struct weft_hosts *hosts, uint64_t place)
{
    uint32_t low = 0, high = hosts->n;
    if (!hosts->at)
    {
        return place < high ? (uint32_t)place : high;
    }
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const bool before = weft_host_at(hosts, middle) < place;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static bool
is_there(const struct weft_hosts *hosts, uint32_t place)
{
    const uint32_t i = hosts_before(hosts, place);
    return i < hosts->n && weft_host_at(hosts, i) == place;
}

/* Whether the hosts are whole servers of the fabric. */
static bool
are_servers(const struct weft_hosts *hosts)
{
    const uint32_t apart = hosts->rails > 0 ? hosts->per_tor : 1;
    bool whole = hosts->gpus > 0;
    for (uint32_t i = 0; i < hosts->n && whole; i++)
    {
        const uint32_t place = weft_host_at(hosts, i), gpu = place / apart % hosts->gpus;
        whole = (gpu == 0 || is_there(hosts, place - apart)) &&
                (gpu + 1 == hosts->gpus || is_there(hosts, place + apart));
    }
    return whole;
}

uint32_t
weft_groups_rails(const struct weft_groups *groups, const struct weft_hosts *hosts)
{
    return hosts->gpus == 0   ? (uint32_t)groups->rails
           : hosts->rails > 0 ? (are_servers(hosts) ? hosts->rails : 0)
                              : 0;
}

const char *
weft_groups_servers_refusal(int64_t placement, uint32_t gpus, const struct weft_hosts *hosts)
{
    return hosts->gpus == 0 ? NULL
           : gpus != hosts->gpus
               ? "the fabric's servers have another number of GPUs; expected as many, or 0"
           : !are_servers(hosts)
               ? "they are not whole servers of the fabric; expected hosts that are"
           : placement == WEFT_RANDOM
               ? "placement random would take GPUs of different servers for one; expected blocked"
               : NULL;
}

const char *
weft_groups_whole_servers_refusal(const struct weft_groups *groups, uint32_t gpus, uint32_t ranks,
                                  const struct weft_hosts *hosts)
{
    const char *servers = weft_groups_servers_refusal(groups->placement, gpus, hosts);
    return servers != NULL ? servers
           : gpus == 0     ? "nothing says which of them are in one server; expected "
                             "gpus-per-server, of the topology or of the workload"
           : groups->groups > 1 && groups->placement == WEFT_INTERLEAVED
               ? "placement interleaved would put the GPUs of a server into different groups; "
                 "expected blocked"
           : ranks % gpus != 0 ? "a group has a part of a server; expected gpus-per-server that "
                                 "divides the ranks of a group"
                               : NULL;
}

/* Whether hosts are as the workload's own rails say: whole blocks of servers whose hosts are each
 * at a ToR of its own; of a fabric with servers, these. */
static bool
has_rails(const struct weft_groups *groups, const struct weft_hosts *hosts)
{
    if (groups->rails == 0)
    {
        return true;
    }
    if (hosts->gpus > 0)
    {
        return groups->rails == hosts->rails && are_servers(hosts);
    }
    const uint64_t block = (uint64_t)weft_groups_rails(groups, hosts) * hosts->per_tor;
    /* A graph whose hosts stand in no order has no ToRs of equal size. */
    bool good = block > 0 && hosts->n % block == 0 && !(hosts->tor && hosts->per_tor == 1);
    for (uint32_t i = 0; good && i < hosts->n; i++)
    {
        const uint32_t first = i - i % hosts->per_tor;
        good = weft_host_tor(hosts, i) == weft_host_tor(hosts, first);
    }
    return good;
}

/* The host that is number @p i when those of a block, @p rails ToRs, are counted server by server:
 * as many of it are at each. */
static uint32_t
rail_host(const struct weft_hosts *hosts, uint32_t rails, uint32_t i)
{
    const uint64_t block = (uint64_t)rails * hosts->per_tor;
    const uint64_t place = weft_host_at(hosts, i) / block * block;
    const uint32_t first = hosts_before(hosts, place);
    const uint32_t servers = (hosts_before(hosts, place + block) - first) / rails;
    return first + (i - first) % rails * servers + (i - first) / rails;
}

void
weft_groups_number(uint32_t rails, const struct weft_hosts *hosts, uint32_t nmessages,
                   struct weft_message *messages)
{
    struct weft_hosts all = *hosts;
    all.at = hosts->gpus > 0 ? hosts->at : NULL; /* else blocks are of those that there are */
    for (uint32_t i = 0; rails > 0 && i < nmessages; i++)
    {
        messages[i].src = rail_host(&all, rails, messages[i].src);
        messages[i].dst = rail_host(&all, rails, messages[i].dst);
    }
}

int
weft_groups_ranks(const struct weft_groups *groups, const struct weft_hosts *hosts, uint32_t *ranks)
{
    const uint32_t nhosts = hosts->n;
    if (nhosts > WEFT_MAX_MESSAGES)
    {
        return WEFT_EOVERFLOW;
    }
    if (groups->groups < 1 || groups->groups > (int64_t)nhosts / 2 ||
        nhosts % (uint32_t)groups->groups != 0 || groups->bytes < 1 || !has_rails(groups, hosts))
    {
        return WEFT_ERANGE;
    }
    *ranks = nhosts / (uint32_t)groups->groups;
    return 0;
}

const char *
weft_groups_refusal(const struct weft_groups *groups, const struct weft_hosts *hosts)
{
    uint32_t ranks = 0;
    const uint32_t nhosts = hosts->n;
    if (weft_groups_ranks(groups, hosts, &ranks) != WEFT_ERANGE)
    {
        return NULL;
    }
    if (groups->bytes < 1)
    {
        return "nothing is sent; expected at least 1 byte";
    }
    if (groups->groups < 1 || groups->groups > nhosts || nhosts % (uint32_t)groups->groups != 0)
    {
        return "they do not divide into so many groups of equal size; expected groups that divide "
               "the number of hosts";
    }
    if (!has_rails(groups, hosts))
    {
        return hosts->gpus > 0
                   ? "the fabric's servers are not as rails says; expected 0, which numbers hosts "
                     "as the fabric has its servers"
                   : "they are no whole servers with each host at a ToR of its own; expected rails "
                     "that divide the number of ToRs, with all hosts of each";
    }
    return "a group needs 2 hosts, or there is nobody to send to; expected at most half as many "
           "groups as hosts";
}

int
weft_groups_refuse(int code, const struct weft_groups *groups, const struct weft_hosts *hosts)
{
    const char *text =
        code == WEFT_ERANGE ? weft_groups_refusal(groups, hosts) : weft_workload_excess(code);
    return text != NULL ? weft_refuse(hosts->why, code, NULL, text) : code;
}

uint32_t
weft_groups_host(const struct weft_groups *groups, uint32_t ranks, uint32_t group, uint32_t rank)
{
    return groups->placement == WEFT_INTERLEAVED ? rank * (uint32_t)groups->groups + group
                                                 : group * ranks + rank;
}

uint64_t
weft_groups_part(const struct weft_groups *groups, uint32_t n)
{
    return ((uint64_t)groups->bytes - 1) / n + 1;
}

int
weft_groups_size(const struct weft_groups *groups, uint32_t ranks, uint64_t per_rank, uint64_t qps,
                 uint64_t next, struct weft_traffic_size *out)
{
    uint64_t hosts = (uint64_t)groups->groups * ranks;
    if (per_rank > WEFT_MAX_MESSAGES / hosts || qps > per_rank || next > 2 * per_rank)
    {
        return WEFT_EOVERFLOW;
    }
    uint64_t scratch = groups->placement == WEFT_RANDOM ? hosts : 0;
    out->nmessages = (uint32_t)(hosts * per_rank);
    out->nqps = (uint32_t)(hosts * qps);
    out->nnext = (uint32_t)(hosts * next + scratch);
    out->ngroups = (uint32_t)groups->groups;
    out->nsteps = 1;
    out->bytes = (uint64_t)groups->bytes;
    return 0;
}

int64_t
weft_groups_message_bound(const void *config, const struct weft_hosts *hosts,
                          const struct weft_bound_case *of)
{
    const struct weft_groups *groups = (const struct weft_groups *)config;
    (void)hosts;
    return of->acked ? -1 : weft_message_bound(&of->wire, (uint64_t)groups->bytes);
}

double
weft_groups_bus(const void *config, const struct weft_hosts *hosts, double *bytes)
{
    const struct weft_groups *groups = config;
    const double ranks = (double)hosts->n / (double)groups->groups;
    *bytes = (double)groups->bytes;
    return 2 * (ranks - 1) / ranks;
}

void
weft_groups_message(const struct weft_groups *groups, uint32_t ranks, uint32_t group, uint32_t from,
                    uint32_t to, struct weft_message *m)
{
    memset(m, 0, sizeof *m);
    m->bytes = (uint64_t)groups->bytes;
    m->start = groups->start;
    m->src = weft_groups_host(groups, ranks, group, from);
    m->dst = weft_groups_host(groups, ranks, group, to);
    m->group = group;
}

void
weft_groups_wait(const struct weft_groups *groups, uint32_t waits, struct weft_message *m)
{
    m->waits = waits;
    m->delayed = waits > 0 && groups->compute > 0;
    m->start = m->delayed ? groups->compute : m->start;
}

int64_t
weft_groups_computing(const struct weft_groups *groups, uint64_t times, int64_t bound)
{
    if (groups->compute > 0 && times > (uint64_t)(WEFT_NEVER - bound) / (uint64_t)groups->compute)
    {
        return WEFT_NEVER;
    }
    return bound + (int64_t)times * groups->compute;
}

void
weft_groups_shuffle(uint32_t n, uint64_t seed, uint64_t run, uint32_t *to)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, seed, run, PLACE_STREAM);
    for (uint32_t i = 0; i < n; i++)
    {
        uint32_t j = weft_rng_below(&rng, i + 1);
        to[i] = to[j];
        to[j] = i;
    }
}

void
weft_groups_spread(const struct weft_groups *groups, uint64_t seed, uint64_t run,
                   uint32_t nmessages, struct weft_message *messages)
{
    for (uint32_t i = 0; groups->spread > 0 && i < nmessages; i++)
    {
        struct weft_rng rng;
        if (messages[i].delayed)
        {
            continue;
        }
        weft_rng_seed(&rng, seed, run, SPREAD_STREAM | messages[i].src);
        messages[i].start += (int64_t)(weft_rng_unit(&rng) * (double)groups->spread);
    }
}

void
weft_groups_finish(const struct weft_groups *groups, const struct weft_hosts *hosts,
                   const struct weft_traffic_size *size, uint64_t seed, uint64_t run,
                   struct weft_message *messages, uint32_t *next)
{
    if (groups->placement == WEFT_RANDOM)
    {
        uint32_t *host = next + (size->nnext - hosts->n);
        weft_groups_shuffle(hosts->n, seed, run, host);
        for (uint32_t i = 0; i < size->nmessages; i++)
        {
            messages[i].src = host[messages[i].src];
            messages[i].dst = host[messages[i].dst];
        }
    }
    weft_groups_number(weft_groups_rails(groups, hosts), hosts, size->nmessages, messages);
    weft_groups_spread(groups, seed, run, size->nmessages, messages);
}
