#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""training-step.py [TENSOR PIPELINE DATA MICROBATCHES]: writes a training step as a GOAL trace.

Rank (d * PIPELINE + p) * TENSOR + t is GPU t of stage p of replica d. Each micro-batch goes forward
through all stages, and then back (GPipe): a stage computes, shares what it has in a ring among its
tensor group, and sends it on. At the end each GPU shares its gradients in a ring with those that hold
the same part in the other replicas. What is received in a ring is added on another stream (cpu 1).
"""
import sys

FORWARD, BACKWARD, ADD = 60_000, 120_000, 2_000  # ns of computing
LAYER, ACTIVATIONS, GRADIENTS = 4 << 20, 1 << 20, 16 << 20  # bytes: shared, sent on, shared at the end


class Rank:
    """Operations of a rank, each behind what it requires."""

    def __init__(self):
        self.lines, self.n = [], 0

    def add(self, text, *requires):
        self.n += 1
        self.lines.append(f"l{self.n}: {text}")
        self.lines += [f"l{self.n} requires {r}" for r in requires if r]
        return f"l{self.n}"

    def ring(self, before, members, me, size, tag):
        """A ring allreduce, 2 (n - 1) steps. Returns its last operation."""
        n = len(members)
        to, source, chunk = members[(me + 1) % n], members[(me - 1) % n], -(-size // n)
        for step in range(2 * (n - 1)):
            send = self.add(f"send {chunk}b to {to} tag {tag + step} cpu 1", before)
            received = self.add(f"recv {chunk}b from {source} tag {tag + step}", before)
            before = self.add(f"calc {ADD} cpu 1", send, received)
        return before


def main():
    tensor, pipeline, data, batches = map(int, sys.argv[1:]) if len(sys.argv) > 1 else (8, 4, 4, 4)
    print("num_ranks", tensor * pipeline * data)
    for number in range(tensor * pipeline * data):
        t, p, d = number % tensor, number // tensor % pipeline, number // tensor // pipeline
        group = [number - t + i for i in range(tensor)]
        replicas = [(i * pipeline + p) * tensor + t for i in range(data)]
        rank, last = Rank(), None
        for backward in (False, True):
            ahead = number - tensor if backward else number + tensor
            behind = number + tensor if backward else number - tensor
            first, final = (pipeline - 1, 0) if backward else (0, pipeline - 1)
            for batch in range(batches):
                tag = (batch * 2 + backward) * 1000
                came = rank.add(f"recv {ACTIVATIONS}b from {behind} tag {tag}") if p != first else None
                done = rank.add(f"calc {BACKWARD if backward else FORWARD}", last, came)
                last = rank.ring(done, group, t, LAYER, tag + 1)
                if p != final:
                    rank.add(f"send {ACTIVATIONS}b to {ahead} tag {tag} cpu 1", last)
        rank.ring(last, replicas, d, GRADIENTS, 1_000_000)
        print(f"rank {number} {{", *rank.lines, "}", sep="\n")


if __name__ == "__main__":
    main()
