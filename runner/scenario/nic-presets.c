/* SPDX-License-Identifier: GPL-2.0-only */
/* <nic preset="...">: a transport, a congestion control and switches that go together. */
#include <string.h>

#include "scenario-load.h"
#include "scenario.h"

/** Settings of the presets, in the order in which they are made: an element, and an attribute with
 * its value, where the element has the name @p with. What needs no setting is the element's
 * default. */
static const struct
{
    int64_t preset;
    const char *element, *attribute, *value, *with;
} settings[] = {
    {NIC_UEC, "transport", "name", "trim", NULL},
    {NIC_UEC, "transport", "rto", "100us", "trim"}, /* uet-htsim 40ccb05: DEFAULT_UEC_RTO_MIN */
    {NIC_UEC, "congestion-control", "name", "nscc", NULL},
    {NIC_UEC, "switch", "preset", "trim-400g", NULL},
    {NIC_ROCE_LOSSLESS, "transport", "name", "nic-sr", NULL},
    {NIC_ROCE_LOSSLESS, "congestion-control", "name", "dcqcn", NULL},
    {NIC_ROCE_SR, "transport", "name", "sack", NULL},
    {NIC_ROCE_SR, "congestion-control", "name", "dcqcn", NULL},
    {NIC_ROCE_SR, "switch", "pfc", "off", NULL},
    {NIC_IDEAL, "transport", "name", "ideal", NULL},
    {NIC_IDEAL, "congestion-control", "name", "none", NULL},
};

/** Gives @p root the element, if it has none, and that the attribute that it lacks. */
static void
fill(struct element *root, const struct element *nic, const char *element, const char *attribute,
     const char *value)
{
    struct element *e = element_child(root, element);
    if (!e)
    {
        e = element_new(element, vocabulary_find(element, "scenario"), nic->line);
        element_add(root, e);
    }
    if (!element_attribute(e, attribute))
    {
        element_add_attribute(e, attribute, value, nic->line);
    }
}

/** Whether the element has that name; NULL: any. */
static bool
is_named(const struct element *root, const char *element, const char *name)
{
    const struct element *e = element_child(root, element);
    const char *own = e ? element_value(e, "name") : NULL;
    return !name || (own && strcmp(own, name) == 0);
}

void
apply_nic_preset(struct element *root, int64_t preset)
{
    const struct element *nic = element_child(root, "nic");
    for (size_t i = 0; nic && i < sizeof settings / sizeof *settings; i++)
    {
        if (settings[i].preset == preset && is_named(root, settings[i].element, settings[i].with))
        {
            fill(root, nic, settings[i].element, settings[i].attribute, settings[i].value);
        }
    }
}
