/* SPDX-License-Identifier: GPL-2.0-only */
/** @file ns3-names.h  Whether ns-3 takes a <default> or a <global>, asked without changing it. */
#ifndef WEFT_RUNNER_NS3_NAMES_H
#define WEFT_RUNNER_NS3_NAMES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /**
     * Whether ns-3 has the attribute "ns3::Class::Attribute" and it takes @p value. NULL if so,
     * else what is wrong and what was expected; the caller frees it. @p in_value then says whether
     * it is the value that is wrong rather than the name.
     */
    char *ns3_attribute_mistake(const char *name, const char *value, bool *in_value);

    /** Returns the mistake in a global value; the type of a scheduler or a simulator must be one.
     * */
    char *ns3_global_mistake(const char *name, const char *value, bool *in_value);

#ifdef __cplusplus
}
#endif
#endif
