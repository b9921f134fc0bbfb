/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of claims that nobody would write: whatever the bytes, reading them and setting them beside
 * results must end in a report or in messages, never in a crash. A report that is allowed to lack
 * results is the same when it is written again.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "must.h"
#include "report.h"

/** A folder of results in which every kind of file is there once. */
#define RESULTS WEFT_FUZZ_FOLDER "/claims-results"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "claims.xml"};
    struct document *claims = document_parse(d.file, (const char *)data, size, &d);
    if (claims)
    {
        claims_check(claims->root, &d);
    }
    if (claims && d.n == 0)
    {
        char *once = report_write(&claims, 1, RESULTS, true);
        char *twice = report_write(&claims, 1, RESULTS, true);
        MUST((once == NULL) == (twice == NULL));
        MUST(!once || strcmp(once, twice) == 0);
        free(once);
        free(twice);
        free(report_write(&claims, 1, RESULTS, false));
    }
    document_free(claims);
    diag_free(&d);
    return 0;
}
