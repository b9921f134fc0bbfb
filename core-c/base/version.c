/* SPDX-License-Identifier: MIT */
#include <weft/version.h>

int
weft_version(void)
{
    return WEFT_VERSION_NUMBER;
}
