/* SPDX-License-Identifier: GPL-2.0-only */
#include "packet-hop-cases.h"

#include <string.h>

#define KB  INT64_C(1000)
#define MB  (1000 * KB)
#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

/** Frames, buffers and algorithms of the fat-trees at 800 Gb/s. */
#define FAT_TREE(k, delay)                                                                         \
    "fat-tree tiers=3 link-rate=800Gbps link-delay=" #delay " k=" #k,                              \
        "roce payload=4096B header=62B gap=20B ack=64B ack-every=1", "shared-buffer preset=400g",  \
        "ops", "sack threshold=1024", "none"

const struct BenchCase BENCH_CASES[BENCH_NCASES] = {
    {'a', "leaf-spine", "leaf-spine preset=themis-fig5", "roce", "shared-buffer preset=400g",
     "themis", "nic-sr", "dcqcn", "permutation", 0, 0, 16 * MB, 2 * MB, 512 * KB},
    {'b', "fat-tree-k8", FAT_TREE(8, 500ns), "permutation", 0, 0, 16 * MIB, 2 * MIB, 512 * KIB},
    {'c', "fat-tree-k16", FAT_TREE(16, 500ns), "permutation", 0, 0, 4 * MIB, 512 * KIB, 256 * KIB},
    {'d', "fat-tree-k64", FAT_TREE(64, 500ns), "permutation", 0, 0, 1 * MIB, 64 * KIB, 0},
    {'e', "alltoall", FAT_TREE(8, 500ns), "alltoall scope=pair", 0, 0, 1 * MB, 64 * KB, 16 * KB},
    {'f', "many-qps", "fat-tree k=16 tiers=3 link-rate=400Gbps link-delay=1us",
     "roce payload=4096B header=62B gap=20B ack=64B ack-every=1", "shared-buffer preset=400g",
     "ecmp", "nic-sr", "dcqcn", "permutation pattern=shift", 64, 0, 256 * KIB, 16 * KIB, 8 * KIB},
    {'g', "few-frames", "leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=400Gbps",
     "roce payload=4096B header=62B gap=20B ack=64B ack-every=1", "shared-buffer preset=400g",
     "ecmp", "nic-sr", "dcqcn", "allreduce-ring", 0, 0, 1024 * KIB, 1024 * KIB, 1024 * KIB},
    {'h', "few-hosts", FAT_TREE(16, 500ns), "flows", 0, 16, 16 * MIB, 2 * MIB, 512 * KIB},
    {'i', "short-links", FAT_TREE(8, 50ns), "permutation", 0, 0, 16 * MIB, 2 * MIB, 512 * KIB},
    {'j', "fat-tree-k96", FAT_TREE(96, 500ns), "permutation", 0, 0, 256 * KIB, 0, 0},
    {'k', "fat-tree-k160", FAT_TREE(160, 500ns), "permutation", 0, 0, 64 * KIB, 0, 0},
};

const struct BenchCase *
FindBenchCase(const char *name)
{
    for (unsigned i = 0; i < BENCH_NCASES; i++)
    {
        const struct BenchCase *c = &BENCH_CASES[i];
        if (strcmp(name, c->name) == 0 || (name[0] == c->letter && name[1] == '\0'))
        {
            return c;
        }
    }
    return NULL;
}

void
FillBenchRing(const struct BenchCase *c, uint32_t hosts, int64_t bytes,
              struct weft_table_flow *flows)
{
    const uint32_t apart = hosts / c->busy;
    for (uint32_t i = 0; i < c->busy; i++)
    {
        flows[i] = (struct weft_table_flow){
            .bytes = (uint64_t)bytes, .src = i * apart, .dst = (i + 1) % c->busy * apart};
    }
}
