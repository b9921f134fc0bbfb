/* SPDX-License-Identifier: GPL-2.0-only */
/* Choice between the hosts that this build has. */
#include "run-host.h"

#include <string.h>

#include "textbuf.h"

#ifdef WEFT_NS3
static const struct run_host *const hosts[] = {&ns3_host, &plain_host};
#define NAMES "ns3 plain"
#else
static const struct run_host *const hosts[] = {&plain_host};
#define NAMES "plain"
#endif

static const struct run_host *chosen;

const struct run_host *
run_host_find(const char *name)
{
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
    {
        if (strcmp(hosts[i]->name, name) == 0)
        {
            return hosts[i];
        }
    }
    return NULL;
}

const char *
run_host_names(void)
{
    return NAMES;
}

void
run_host_choose(const struct run_host *host)
{
    chosen = host;
}

const struct run_host *
run_host_chosen(void)
{
    return chosen ? chosen : hosts[0];
}

void
run_without_memory(void (*handler)(void))
{
    on_out_of_memory = handler;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
    {
        hosts[i]->without_memory(handler);
    }
}
