/* SPDX-License-Identifier: GPL-2.0-only */
/* For loading without a simulator: any name and any value might be ns-3's. */
#include <stddef.h>

#include "ns3-names.h"

char *
ns3_attribute_mistake(const char *name, const char *value, bool *in_value)
{
    (void)name;
    (void)value;
    *in_value = false;
    return NULL;
}

char *
ns3_global_mistake(const char *name, const char *value, bool *in_value)
{
    return ns3_attribute_mistake(name, value, in_value);
}
