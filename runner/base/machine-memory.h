/* SPDX-License-Identifier: GPL-2.0-only */
/** @file machine-memory.h  The memory that processes of this one's kind can have here. Bytes. */
#ifndef WEFT_RUNNER_MACHINE_MEMORY_H
#define WEFT_RUNNER_MACHINE_MEMORY_H

#include <sys/types.h>

struct machine_memory
{
    double all; /**< what can be had now in all: free memory of the machine or its control group */
    double one; /**< what one process can have: that, or less if `ulimit -v` says so */
    const char *what; /**< whose limit `one` is, for messages */
};

struct machine_memory machine_memory_now(void);

/** Returns the bytes left in the control groups of a list like /proc/self/cgroup, and in those
 * above them, as their files below @p mount tell; 1e18: they set no limit. */
double left_in_control_groups(const char *list, const char *mount);

/** Returns the bytes of memory that a process has; 0: this one. */
double process_memory(pid_t pid);

#endif
