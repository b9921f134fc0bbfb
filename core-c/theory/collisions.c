/* SPDX-License-Identifier: MIT */
/* Flows that stay on one path and meet on the way down (ofan App. C), in a fat-tree of degree k. */
#include <weft/theory.h>

static double
hosts(uint32_t k)
{
    return (double)k * k * k / 4;
}

double
weft_all_northbound(uint32_t k)
{
    double n = hosts(k);
    double edge = k / 2;
    double p = 1;
    for (uint32_t i = 0; i < k / 2; i++)
    {
        p *= (n - edge - i) / (n - 1 - i);
    }
    return p;
}

double
weft_all_to_one_edge(uint32_t k)
{
    double n = hosts(k);
    double edge = k / 2;
    double p = (n - edge) / (n - 1);
    for (uint32_t i = 1; i < k / 2; i++)
    {
        p *= (edge - i) / (n - 1 - i);
    }
    return p;
}

double
weft_red_edge(uint32_t k)
{
    return weft_all_northbound(k) - weft_all_to_one_edge(k);
}

double
weft_safe_flow(uint32_t k, double gap_share)
{
    double p = 1;
    for (uint32_t i = 1; i < k / 2; i++)
    {
        p *= 1 - 2 * gap_share;
    }
    return p;
}

/* Eq. 17 */
static double
collision(uint32_t k, double safe)
{
    double red = weft_red_edge(k);
    double same_aggregation = 2.0 / k;
    double same_edge = (k / 2.0 - 1) / (hosts(k) - 1 - k / 2.0);
    return safe * safe * red * red * same_aggregation * same_edge;
}

double
weft_colliding_pairs(uint32_t k, double safe)
{
    double n = hosts(k);
    return n * (n - 1) / 2 * collision(k, safe);
}

double
weft_colliding_pairs_across(uint32_t k, double safe)
{
    double n = hosts(k);
    return n * (n - k / 2.0) / 2 * collision(k, safe);
}
