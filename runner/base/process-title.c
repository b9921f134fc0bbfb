/* SPDX-License-Identifier: GPL-2.0-only */
#include "process-title.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

static char *title;
static size_t room;

void
process_title_init(int argc, char **argv)
{
    /* The arguments lie one behind the other; so much the name may take. */
    title = argv[0];
    for (int i = 0; i < argc && title && argv[i] == title + room; i++)
    {
        room += strlen(argv[i]) + 1;
    }
}

void
process_title_set(const char *name)
{
    prctl(PR_SET_NAME, name);
    if (room > 0)
    {
        memset(title, 0, room);
        snprintf(title, room, "weft: %s", name);
    }
}
