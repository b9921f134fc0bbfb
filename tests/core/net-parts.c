/* SPDX-License-Identifier: MIT */
#include "net-parts.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void *blocks[100000];
static size_t sizes[sizeof blocks / sizeof *blocks];
static size_t nblocks;

/* Bytes behind a block that nobody may write. */
#define GUARD 64U

void *
parts_take(void *of, size_t bytes)
{
    (void)of;
    const size_t size = (bytes + 63) / 64 * 64;
    char *block = aligned_alloc(64, size + GUARD);
    /* An assertion that holds costs a write: these are for each block. */
    if (!block || nblocks == sizeof blocks / sizeof blocks[0])
    {
        ck_abort_msg("no memory, or too many blocks");
    }
    sizes[nblocks] = size;
    blocks[nblocks++] = block;
    memset(block + size, 0xc5, GUARD);
    return memset(block, 0, size);
}

size_t
parts_taken(void)
{
    return nblocks;
}

void *
parts_defaults(const struct weft_algo *algo)
{
    void *config = parts_take(NULL, algo->config_size + 8);
    weft_config_default(algo, config);
    return config;
}

void
parts_set_all(const struct weft_algo *algo, void *config, const char *const *settings)
{
    for (; *settings; settings += 2)
    {
        ck_assert_int_eq(strcmp(*settings, "preset")
                             ? weft_config_set(algo, config, settings[0], settings[1])
                             : weft_config_preset(algo, config, settings[1]),
                         0);
    }
}

void
parts_describe(struct weft_net_config *config, struct weft_net_level *level,
               const struct weft_clos *clos, const char *balancer, const char *transport,
               const char *const *timers)
{
    static const char *const vast[] = {"pfc", "off", "ecn", "off", "port-buffer", "1GB", NULL};
    *level = (struct weft_net_level){.share = 1, .labels = 4096, .tclass = 1};
    level->lb = weft_lb_find(balancer);
    level->lb_config = parts_defaults(&level->lb->algo);
    level->transport = weft_transport_find(transport);
    void *settings = parts_defaults(&level->transport->algo);
    parts_set_all(&level->transport->algo, settings, timers);
    level->transport_config = settings;
    level->cc = weft_cc_find("none");
    level->cc_config = parts_defaults(&level->cc->algo);
    *config = (struct weft_net_config){.clos = clos,
                                       .levels = level,
                                       .nlevels = 1,
                                       .scheduler = weft_scheduler_find("strict"),
                                       .seed = 7,
                                       .memory = {.take = parts_take}};
    weft_config_default(&weft_fabric_algo, &config->frame);
    weft_config_default(&weft_mmu_algo, &config->buffer);
    parts_set_all(&weft_mmu_algo, &config->buffer, vast);
}

void
parts_free(void)
{
    while (nblocks-- > 0)
    {
        const unsigned char *behind = (unsigned char *)blocks[nblocks] + sizes[nblocks];
        for (uint32_t i = 0; i < GUARD; i++)
        {
            if (behind[i] != 0xc5)
            {
                ck_abort_msg("%zu bytes were taken and more were written", sizes[nblocks]);
            }
        }
        free(blocks[nblocks]);
    }
    nblocks = 0;
}
