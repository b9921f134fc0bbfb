// SPDX-License-Identifier: GPL-2.0-only
#include "packet-hop-cases.h"

namespace
{

constexpr int64_t KB = 1000;
constexpr int64_t MB = 1000 * KB;
constexpr int64_t KIB = 1024;
constexpr int64_t MIB = 1024 * KIB;

/** Frames, buffers and algorithms of the fat-trees at 800 Gb/s. */
#define FAT_TREE(k)                                                                               \
    "fat-tree tiers=3 link-rate=800Gbps link-delay=500ns k=" #k,                                  \
        "roce payload=4096B header=62B gap=20B ack=64B ack-every=1", "shared-buffer preset=400g", \
        "ops", "sack threshold=1024", "none"

} // namespace

const std::array<BenchCase, 6> BENCH_CASES{{
    {'a',
     "leaf-spine",
     "leaf-spine preset=themis-fig5",
     "roce",
     "shared-buffer preset=400g",
     "themis",
     "nic-sr",
     "dcqcn",
     "permutation",
     0,
     16 * MB,
     2 * MB,
     16 * MB,
     512 * KB},
    {'b', "fat-tree-k8", FAT_TREE(8), "permutation", 0, 16 * MIB, 2 * MIB, 16 * MIB, 512 * KIB},
    {'c', "fat-tree-k16", FAT_TREE(16), "permutation", 0, 4 * MIB, 512 * KIB, 4 * MIB, 256 * KIB},
    {'d', "fat-tree-k64", FAT_TREE(64), "permutation", 0, 1 * MIB, 64 * KIB, 64 * KIB, 0},
    {'e', "alltoall", FAT_TREE(8), "alltoall scope=pair", 0, 1 * MB, 64 * KB, 1 * MB, 16 * KB},
    {'f',
     "many-qps",
     "fat-tree k=16 tiers=3 link-rate=400Gbps link-delay=1us",
     "roce payload=4096B header=62B gap=20B ack=64B ack-every=1",
     "shared-buffer preset=400g",
     "ecmp",
     "nic-sr",
     "dcqcn",
     "permutation pattern=shift",
     64,
     256 * KIB,
     16 * KIB,
     256 * KIB,
     8 * KIB},
}};

const BenchCase*
FindBenchCase(const std::string& name)
{
    for (const BenchCase& c : BENCH_CASES)
    {
        if (name == c.name || name == std::string(1, c.letter))
        {
            return &c;
        }
    }
    return nullptr;
}
