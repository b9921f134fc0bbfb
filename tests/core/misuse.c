/* SPDX-License-Identifier: MIT */
/*
 * Mistakes that an author of another simulator makes. On the checked build each ends its process
 * with the name of the call and the rule. usage: misuse, or misuse unchecked for what other builds
 * survive
 */
#include "misuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes a mistake in a process of its own. Returns whether that is ended by what it should say or,
 * where nothing is checked, ends as if nothing had been. */
static bool
is_as_expected(const struct mistake *mistake, bool checked)
{
    char text[256] = "";
    int ends[2];
    int status;
    if (pipe(ends))
    {
        return false;
    }
    const pid_t child = fork();
    if (child == 0)
    {
        (void)dup2(ends[1], STDERR_FILENO);
        mistake->make();
        exit(0);
    }
    (void)close(ends[1]);
    const ssize_t length = read(ends[0], text, sizeof text - 1);
    (void)close(ends[0]);
    (void)waitpid(child, &status, 0);
    const bool named = length > 6 && WIFSIGNALED(status) && strncmp(text, "weft: ", 6) == 0 &&
                       strncmp(text + 6, mistake->says, strlen(mistake->says)) == 0;
    const bool fine = checked ? named : WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!fine)
    {
        fprintf(stderr, "'%s', %s: ends with status %d and says '%s'\n", mistake->says,
                checked ? "checked" : "unchecked", status, text);
    }
    return fine;
}

int
main(int argc, char **argv)
{
    const struct mistake *const lists[] = {switch_mistakes, parts_mistakes, nic_mistakes,
                                           refused_mistakes};
    const bool checked = argc < 2 || strcmp(argv[1], "unchecked") != 0;
    int made = 0;
    int fine = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    {
        for (const struct mistake *m = lists[i]; m->make; m++)
        {
            if (checked || m->survives)
            {
                made++;
                fine += is_as_expected(m, checked);
            }
        }
    }
    printf("%d of %d mistakes are %s\n", fine, made, checked ? "named" : "survived");
    return fine == made ? EXIT_SUCCESS : EXIT_FAILURE;
}
