/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine-memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define UNKNOWN 1e18

/** The number in a file, or UNKNOWN ("max", or no such file). */
static double
number_in_file(const char *path)
{
    FILE *f = fopen(path, "r");
    uint64_t value;
    bool found = f && fscanf(f, "%" SCNu64, &value) == 1;
    if (f)
    {
        fclose(f);
    }
    return found ? (double)value : UNKNOWN;
}

/** The value of a line "NAME: N kB" in a file of /proc. */
static double
kilobytes_in_file(const char *path, const char *name)
{
    FILE *f = fopen(path, "r");
    char line[256];
    double found = UNKNOWN;
    size_t n = strlen(name);
    while (f && fgets(line, sizeof line, f))
    {
        uint64_t value;
        if (strncmp(line, name, n) == 0 && sscanf(line + n, " %" SCNu64, &value) == 1)
        {
            found = (double)value * 1024;
        }
    }
    if (f)
    {
        fclose(f);
    }
    return found;
}

/** What is left in this process' control group at @p folder; files as versions 2 and 1 name them.
 */
static double
left_in_group(const char *folder, const char *limit, const char *used)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, limit);
    double most = number_in_file(path);
    snprintf(path, sizeof path, "%s/%s", folder, used);
    double now = number_in_file(path);
    return most >= UNKNOWN || now >= UNKNOWN ? UNKNOWN : most > now ? most - now : 0;
}

/** The same for all control groups that /proc/self/cgroup names, and for the root as a container
 * sees it. */
static double
left_in_groups(void)
{
    double left = left_in_group("/sys/fs/cgroup", "memory.max", "memory.current");
    FILE *f = fopen("/proc/self/cgroup", "r");
    char line[512], folder[560];
    while (f && fgets(line, sizeof line, f))
    {
        line[strcspn(line, "\n")] = '\0';
        char *group = strchr(line, ':') ? strchr(strchr(line, ':') + 1, ':') : NULL;
        bool second = strncmp(line, "0::", 3) == 0;
        if (!group || (!second && !strstr(line, ":memory:")))
        {
            continue;
        }
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", second ? "" : "/memory", group + 1);
        double here = second
                          ? left_in_group(folder, "memory.max", "memory.current")
                          : left_in_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes");
        left = here < left ? here : left;
    }
    if (f)
    {
        fclose(f);
    }
    return left;
}

double
process_memory(pid_t pid)
{
    char path[64] = "/proc/self/status";
    if (pid)
    {
        snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    }
    double rss = kilobytes_in_file(path, "VmRSS:");
    return rss < UNKNOWN ? rss : 0;
}

/** What `ulimit` leaves to this process. */
static double
left_of_limit(int resource, const char *used)
{
    struct rlimit limit;
    double now = kilobytes_in_file("/proc/self/status", used);
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        now >= UNKNOWN)
    {
        return UNKNOWN;
    }
    return (double)limit.rlim_cur > now ? (double)limit.rlim_cur - now : 0;
}

struct machine_memory
machine_memory_now(void)
{
    double machine = kilobytes_in_file("/proc/meminfo", "MemAvailable:");
    double group = left_in_groups(), space = left_of_limit(RLIMIT_AS, "VmSize:");
    double data = left_of_limit(RLIMIT_DATA, "VmData:");
    struct machine_memory m = {machine, machine, "is free on this machine"};
    if (group < m.all)
    {
        m = (struct machine_memory){group, group, "is left in this control group"};
    }
    if (space < m.one)
    {
        m.one = space;
        m.what = "is what the limit on address space (ulimit -v) leaves";
    }
    if (data < m.one)
    {
        m.one = data;
        m.what = "is what the limit on data (ulimit -d) leaves";
    }
    return m;
}
