/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine-memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define UNKNOWN   1e18
#define MOST_PATH 4096

/** The number in the line of a file that begins with @p name; UNKNOWN: there is none ("max"). */
static double
number_of_line(const char *path, const char *name)
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
            found = (double)value;
        }
    }
    if (f)
    {
        fclose(f);
    }
    return found;
}

/** The value of a line "NAME: N kB" in a file of /proc. */
static double
kilobytes_in_file(const char *path, const char *name)
{
    double found = number_of_line(path, name);
    return found < UNKNOWN ? found * 1024 : UNKNOWN;
}

/** Files of a control group, as versions 1 and 2 name them. */
static const struct group_files
{
    const char *limit, *used, *cache;
} group_files[] = {
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
    {"memory.max", "memory.current", "inactive_file "},
};

/** Returns the bytes left in a control group at @p folder. Files that were read count as used
 * there, but the system gives them up when memory is asked for. */
static double
left_in_group(const char *folder, const struct group_files *files)
{
    char path[MOST_PATH + 32];
    snprintf(path, sizeof path, "%s/%s", folder, files->limit);
    double most = number_of_line(path, "");
    snprintf(path, sizeof path, "%s/%s", folder, files->used);
    double now = number_of_line(path, "");
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    double cache = number_of_line(path, files->cache);
    if (most >= UNKNOWN || now >= UNKNOWN)
    {
        return UNKNOWN;
    }
    now -= cache >= UNKNOWN ? 0 : cache < now ? cache : now;
    return most > now ? most - now : 0;
}

/** Returns the least that is left in a group and in all groups above it: the limit of each holds
 * for all below. */
static double
left_up_to(const char *mount, const char *group, const struct group_files *files)
{
    char folder[MOST_PATH];
    double left = UNKNOWN;
    size_t root = strlen(mount);
    int n = snprintf(folder, sizeof folder, "%s%s", mount, group);
    while (n > 0 && (size_t)n < sizeof folder)
    {
        double here = left_in_group(folder, files);
        left = here < left ? here : left;
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= root || !slash)
        {
            break;
        }
        *slash = '\0';
    }
    return left;
}

double
left_in_control_groups(const char *list, const char *mount)
{
    FILE *f = fopen(list, "r");
    char line[MOST_PATH / 2], of_memory[MOST_PATH / 2];
    double left = UNKNOWN;
    snprintf(of_memory, sizeof of_memory, "%s/memory", mount);
    while (f && fgets(line, sizeof line, f))
    {
        line[strcspn(line, "\n")] = '\0';
        char *group = strchr(line, ':') ? strchr(strchr(line, ':') + 1, ':') : NULL;
        bool second = strncmp(line, "0::", 3) == 0;
        if (group && (second || strstr(line, ":memory:")))
        {
            double here =
                left_up_to(second ? mount : of_memory, group + 1, &group_files[second ? 1 : 0]);
            left = here < left ? here : left;
        }
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

/** Returns the bytes that `ulimit` leaves to this process. */
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
    double group = left_in_control_groups("/proc/self/cgroup", "/sys/fs/cgroup");
    double space = left_of_limit(RLIMIT_AS, "VmSize:");
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
