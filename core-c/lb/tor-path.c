/* SPDX-License-Identifier: MIT */
#include "lb/tor-path.h"

#include "lb/candidates.h"
#include "lb/site.h"

int
weft_tor_paths_init(struct weft_tor_paths *p, const struct weft_site *site,
                    const struct weft_lb_ops *lb, bool tables)
{
    int code = weft_site_ports(site);
    code = code ? code : weft_site_shape(site);
    code = code ? code : weft_site_serves(site, lb);
    if (code)
    {
        return code;
    }
    const struct weft_clos *clos = site->clos;
    const uint32_t agg_up = weft_agg_uplinks(clos);
    const uint32_t npaths = weft_tor_uplinks(clos) * agg_up;
    if (npaths < 1 || npaths >= WEFT_NO_TOR_PATH)
    {
        return weft_refuse(site->why, WEFT_ERANGE, NULL,
                           "the ToR has no way upwards, or 65,535 paths and more");
    }
    if (tables && site->tier == 0 && weft_tor_path_entries(site) == 0)
    {
        return weft_refuse(site->why, WEFT_ERANGE, NULL,
                           "a ToR's tables would have more than 1048576 entries, one for each path "
                           "to each ToR");
    }
    weft_ecmp_init(&p->ecmp, site, false);
    p->npaths = (uint16_t)npaths;
    p->agg_up = (uint16_t)agg_up;
    p->first_up = (uint16_t)(site->nports - site->up_ports);
    p->tier = (uint8_t)site->tier;
    p->tors = clos->tors_per_pod;
    p->first_tor = site->tier == 0 ? site->switch_index / p->tors * p->tors : 0;
    return 0;
}

uint32_t
weft_tor_path_entries(const struct weft_site *site)
{
    const uint32_t most = UINT32_C(1) << 20;
    const struct weft_clos *clos = site->clos;
    if (site->tier != 0 || clos == NULL || weft_clos_check(clos) || clos->ntors > most ||
        clos->npaths > most / clos->ntors)
    {
        return 0;
    }
    return clos->ntors * clos->npaths;
}

uint32_t
weft_tor_path_pick(const struct weft_tor_paths *p, const struct weft_ports *ports,
                   const struct weft_packet *packet, bool *gone)
{
    const uint16_t path = weft_tor_path(packet);
    *gone = false;
    if (path != WEFT_NO_TOR_PATH && packet->kind == WEFT_DATA && ports->first == p->first_up)
    {
        const uint32_t port = weft_tor_path_port(p, path);
        *gone = !weft_ports_have(ports, port);
        if (!*gone)
        {
            return port;
        }
    }
    return weft_port_at(ports, weft_ecmp_index(&p->ecmp, ports->n, packet));
}
