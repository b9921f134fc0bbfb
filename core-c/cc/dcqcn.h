/* SPDX-License-Identifier: MIT */
/** @file dcqcn.h  DCQCN's configuration and state; for the tests and for hosts that embed it. */
#ifndef WEFT_DCQCN_H
#define WEFT_DCQCN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    enum weft_dcqcn_model
    {
        WEFT_DCQCN_RNIC,  /**< a CNP sets a flag; the decrease timer cuts (RDMA models of ns-3) */
        WEFT_DCQCN_PAPER, /**< a CNP cuts at once; byte counter; i * R_HAI (SIGCOMM'15) */
    };

    enum weft_dcqcn_first_cut
    {
        WEFT_DCQCN_TICK,    /**< T_D after the first CNP */
        WEFT_DCQCN_AT_ONCE, /**< with the first CNP */
    };

    struct weft_dcqcn_config
    {
        int64_t model; /**< enum weft_dcqcn_model */
        int64_t t_i;
        int64_t t_d;
        int64_t alpha_timer;
        double g;
        int64_t f;
        int64_t r_ai;
        int64_t r_hai;
        int64_t min_rate;
        int64_t byte_counter;
        int64_t cnp_interval;
        int64_t clamp_target;
        int64_t first_cut; /**< enum weft_dcqcn_first_cut */
        int64_t nack_cut;
    };

    struct weft_dcqcn
    {
        const struct weft_dcqcn_config *config;
        int64_t wake;     /**< nothing changes the rate before this */
        int64_t rate_bps; /**< current, in whole bit/s */
        double current;   /**< R_C */
        double target;    /**< R_T */
        double line;
        double min;
        double alpha;       /**< as of the last alpha tick that was worked off */
        int64_t next_alpha; /**< WEFT_NEVER before the first CNP */
        int64_t next_rise;  /**< increase timer; WEFT_NEVER before the first cut */
        int64_t next_cut;   /**< rnic: the decrease tick that will cut, WEFT_NEVER if none */
        int64_t tick_base;  /**< rnic: some decrease tick; paper: the last cut */
        int64_t timer_rounds;
        int64_t byte_rounds;
        int64_t bytes; /**< paper: since the last cut or byte-counter round */
        uint64_t cuts;
        bool started;   /**< the first CNP has come */
        bool alpha_cnp; /**< rnic: a CNP came since the last alpha tick */
    };

#ifdef __cplusplus
}
#endif
#endif
