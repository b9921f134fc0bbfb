/* SPDX-License-Identifier: MIT */
/* Large packets lengthen queues, small ones carry more headers (ofan §8.1, App. G). */
#include <math.h>

#include <weft/theory.h>

double
weft_best_payload(double bytes, double header, double alpha)
{
    return sqrt(header / alpha * bytes);
}

double
weft_message_cost(double bytes, double header, double alpha, double payload)
{
    return (payload + header) * (bytes / payload + alpha);
}

double
weft_message_cost_sqrt(double bytes, double header, double beta, double payload)
{
    double packets = bytes / payload;
    return (payload + header) * (packets + beta * sqrt(packets));
}

/*
 * The derivative vanishes where s^3 - H s = c with s = sqrt(payload), c = 2 H sqrt(D) / beta. For s
 * above the start the left side is convex and rising, so Newton's steps come down to the root.
 */
double
weft_best_payload_sqrt(double bytes, double header, double beta)
{
    double c = 2 * header * sqrt(bytes) / beta;
    double s = cbrt(c) + sqrt(header);
    for (double last = HUGE_VAL; s < last;)
    {
        last = s;
        s -= (s * s * s - header * s - c) / (3 * s * s - header);
    }
    return s * s;
}
