/* SPDX-License-Identifier: GPL-2.0-only */
/** @file process-title.h Name by which ps and top call a process. */
#ifndef WEFT_RUNNER_PROCESS_TITLE_H
#define WEFT_RUNNER_PROCESS_TITLE_H

/** To be called first: remembers where the command line is. */
void process_title_init(int argc, char **argv);

/** From now on this process is called "weft: NAME", and its thread NAME, as far as there is room.
 * The strings of argv are overwritten. */
void process_title_set(const char *name);

#endif
