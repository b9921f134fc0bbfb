/* SPDX-License-Identifier: GPL-2.0-only */
/* <nic preset="...">: a transport, a congestion control and switches that go together. */
#include <string.h>

#include "scenario-load.h"
#include "scenario.h"

/** Settings of the presets, in the order of the choices: an element, and an attribute with its
 * value. What needs no setting is the element's default. */
static const struct
{
    int64_t preset;
    const char *element, *attribute, *value;
} settings[] = {
    {NIC_UEC, "transport", "name", "trim"},
    {NIC_UEC, "congestion-control", "name", "nscc"},
    {NIC_UEC, "switch", "preset", "trim-400g"},
    {NIC_ROCE_LOSSLESS, "transport", "name", "nic-sr"},
    {NIC_ROCE_LOSSLESS, "congestion-control", "name", "dcqcn"},
    {NIC_ROCE_SR, "transport", "name", "sack"},
    {NIC_ROCE_SR, "congestion-control", "name", "dcqcn"},
    {NIC_ROCE_SR, "switch", "pfc", "off"},
    {NIC_IDEAL, "transport", "name", "ideal"},
    {NIC_IDEAL, "congestion-control", "name", "none"},
};

/** Gives an element what it lacks. One that names another algorithm is left alone. */
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

void
apply_nic_preset(struct element *root, int64_t preset)
{
    const struct element *nic = element_child(root, "nic");
    for (size_t i = 0; nic && i < sizeof settings / sizeof *settings; i++)
    {
        if (settings[i].preset == preset)
        {
            fill(root, nic, settings[i].element, settings[i].attribute, settings[i].value);
        }
    }
}
