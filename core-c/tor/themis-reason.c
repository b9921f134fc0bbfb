/* SPDX-License-Identifier: MIT */
/* Themis-D's reasons in words. */
#include <weft/views.h>

const char *
weft_themis_reason_text(enum weft_themis_reason reason)
{
    switch (reason)
    {
    case WEFT_THEMIS_NOTHING:
        return "no NACK has come";
    case WEFT_THEMIS_SAME_PATH:
        return "forwarded: the trigger took the path of the ePSN";
    case WEFT_THEMIS_NO_TRIGGER:
        return "forwarded: no newer PSN is in the ring";
    case WEFT_THEMIS_RING_PROVES:
        return "forwarded: what has passed shows that the packet of the ePSN is lost";
    case WEFT_THEMIS_OTHER_PATH:
        return "blocked: the trigger took another path";
    case WEFT_THEMIS_ON_ITS_WAY:
        return "blocked: the packet of the ePSN is on its way to the NIC";
    case WEFT_THEMIS_MAY_COME:
        return "blocked: the packet of the ePSN may be on its way, the ring has given up entries";
    case WEFT_THEMIS_REPEATED:
        return "blocked: the ToR has asked for this packet already";
    case WEFT_THEMIS_OVERTAKEN:
        return "made up for: a later packet of the ePSN's path has passed";
    case WEFT_THEMIS_SILENCE:
        return "made up for: the NIC's ePSN did not move while a ring's worth of packets passed";
    case WEFT_THEMIS_RELEASED:
        return "made up for: the middleware was turned off";
    case WEFT_THEMIS_TURNED:
        return "made up for: an ACK went on as a NACK";
    }
    return "unknown";
}
