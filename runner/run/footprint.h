/* SPDX-License-Identifier: GPL-2.0-only */
/** @file footprint.h  The memory that a run's fabric takes, from the sizes of what it is made of.
 */
#ifndef WEFT_RUNNER_FOOTPRINT_H
#define WEFT_RUNNER_FOOTPRINT_H

#ifdef __cplusplus
extern "C"
{
#endif

    struct scenario;

    /** Bytes of its hosts, switches and links. @p busy: the share of all lanes by which something
     * leaves at a time. */
    double footprint_of_fabric(const struct scenario *s, double busy);
    /** Bytes of one QP that sends so many packets, without its messages. */
    double footprint_of_qp(const struct scenario *s, double packets);
    /** Bytes of one message in the fabric, without its row of flows.csv. */
    double footprint_of_message(void);
    /** Bytes of one packet that is queued or on a wire. */
    double footprint_of_packet(void);

#ifdef __cplusplus
}
#endif
#endif
