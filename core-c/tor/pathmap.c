/* SPDX-License-Identifier: MIT */
/* Themis' PathMap, found by trying source-port changes in ascending order. */
#include <weft/pathmap.h>

#include <stdbool.h>
#include <string.h>

#include <weft/error.h>
#include <weft/lb.h>

#define SPORTS UINT32_C(0x10000)

static bool
power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Gives up with a reason. */
static int
refuse(const char **reason, const char *sentence)
{
    if (reason)
    {
        *reason = sentence;
    }
    return WEFT_ENOPATH;
}

/* How many paths a source port reaches: delta[] of the others stays as it was. */
static uint32_t
search(uint16_t *delta, uint32_t tor_ports, uint32_t agg_ports, uint64_t tor_seed,
       uint64_t agg_seed)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof packet);
    const uint32_t tor_base = weft_ecmp_hash_linear(&packet, tor_seed);
    const uint32_t agg_base = weft_ecmp_hash_linear(&packet, agg_seed);
    uint32_t found = 1; /* no change: delta[0] = 0 */
    for (uint32_t d = 1; d < SPORTS && found < tor_ports * agg_ports; d++)
    {
        packet.sport = (uint16_t)d;
        const uint32_t tor =
            (weft_ecmp_hash_linear(&packet, tor_seed) ^ tor_base) & (tor_ports - 1);
        const uint32_t agg =
            (weft_ecmp_hash_linear(&packet, agg_seed) ^ agg_base) & (agg_ports - 1);
        const uint32_t change = agg * tor_ports + tor;
        if (change != 0 && delta[change] == 0)
        {
            delta[change] = (uint16_t)d;
            found++;
        }
    }
    return found;
}

int
weft_pathmap_build(uint16_t *delta, uint32_t tor_ports, uint32_t agg_ports, uint64_t tor_seed,
                   uint64_t agg_seed, const char **reason)
{
    if (!power_of_two(tor_ports) || !power_of_two(agg_ports))
    {
        return refuse(reason, "the up ports of a switch are not a power of two, so a linear hash "
                              "cannot choose among them by its bits");
    }
    const uint64_t npaths = (uint64_t)tor_ports * agg_ports;
    if (npaths > SPORTS)
    {
        return refuse(reason, "there are more paths than UDP source ports");
    }
    memset(delta, 0, (size_t)npaths * sizeof *delta);
    if (search(delta, tor_ports, agg_ports, tor_seed, agg_seed) < npaths)
    {
        return refuse(reason, "the hashes of the two tiers are polarised: no change of the source "
                              "port leads to some of the paths");
    }
    return 0;
}
