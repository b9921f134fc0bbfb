/* SPDX-License-Identifier: MIT */
/* Mean queues: random spraying (ofan App. D), periodic sources with random phases (App. E, F.3);
 * what full ones do to the order of packets (§8.2). */
#include <math.h>

#include <weft/theory.h>

#define PI 3.14159265358979323846

double
weft_random_spray_queue(uint32_t k, double m)
{
    return sqrt((1 - 2.0 / k) * 2 * m / PI);
}

/*
 * The n-th term of the sum: n of the sources have sent within the last n - x slots, and since then
 * more has been served than sent. Logarithms, since the binomial coefficient alone may overflow.
 */
static double
term(uint32_t sources, double period, double x, uint32_t n, double log_choose)
{
    double share = (n - x) / period;
    if (n == sources)
    {
        return pow(share, n);
    }
    double rest = share < 1 ? (sources - n) * log1p(-share) : -HUGE_VAL;
    return exp(log_choose + n * log(share) + rest) * (period - sources + x) / (period - n + x);
}

double
weft_periodic_tail(uint32_t sources, double period, double x)
{
    double sum = 0;
    double log_choose = 0;
    if (x < 0 || period < sources)
    {
        return 1;
    }
    for (uint32_t n = 1; n <= sources; n++)
    {
        log_choose += log((double)(sources - n + 1) / n);
        sum += n > x ? term(sources, period, x, n, log_choose) : 0;
    }
    return sum < 1 ? sum : 1;
}

double
weft_periodic_queue(uint32_t sources, double period)
{
    double sum = 0;
    for (uint32_t j = 0; j < sources && period >= sources; j++)
    {
        sum += weft_periodic_tail(sources, period, j);
    }
    return period < sources ? HUGE_VAL : sum;
}

/* Mills' ratio of the normal distribution: (1 - Phi(z)) / phi(z). z >= 0. */
static double
mills(double z)
{
    if (z > 20) /* the next term of the series is 15 / z^6: below 10^-6 */
    {
        return (1 - 1 / (z * z) + 3 / (z * z * z * z)) / z;
    }
    return sqrt(PI / 2) * exp(z * z / 2) * erfc(z / sqrt(2));
}

/*
 * In a share u of a period the sources send N u packets, give or take sqrt(N) times a Brownian
 * bridge, and D u can be served. The supremum of the difference is above x with probability
 * exp(-2 x (x + D - N) / N), whose integral over x is that of a normal density.
 */
double
weft_periodic_queue_bridge(double sources, double period)
{
    if (sources <= 0 || period < sources)
    {
        return sources <= 0 ? 0 : HUGE_VAL;
    }
    return sqrt(sources) / 2 * mills((period - sources) / sqrt(sources));
}

double
weft_periodic_queue_truncated(double sources, double period)
{
    if (sources <= 0 || period < sources)
    {
        return sources <= 0 ? 0 : HUGE_VAL;
    }
    double z = (period - sources) / sqrt(sources);
    return sqrt(sources) / 2 * (1 / mills(z) - z);
}

double
weft_worst_reordering(uint32_t hops, double packets, double share)
{
    return hops * packets * share;
}

static double
hosts(uint32_t k)
{
    return (double)k * k * k / 4;
}

double
weft_host_dr_edge_flows(uint32_t k)
{
    double edge = k / 2.0;
    return edge * (1 - (edge - 1) / (hosts(k) - 1));
}

double
weft_host_dr_pod_flows(uint32_t k)
{
    double pod = k / 2.0 * (k / 2.0);
    return pod * (1 - (pod - 1) / (hosts(k) - 1));
}

double
weft_ofan_edge_flows(uint32_t k)
{
    double edges = (double)k * k / 2;
    return edges * (1 - pow(1 - 1 / edges, k / 2.0));
}

void
weft_pointer_counts(uint32_t k, struct weft_pointers *out)
{
    uint64_t degree = k;
    out->simple_rr = 1;
    out->ofan_edge = degree * degree / 2 - 1;
    out->ofan_aggregation = degree - 1;
    out->host_dr = degree * degree * degree / 4 - 1;
    out->host_dr_downlink = degree * degree / 4;
}
