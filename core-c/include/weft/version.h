/* SPDX-License-Identifier: MIT */
/**
 * @file version.h  Version of the core, what another one may change, and what is exported.
 *
 * Until 1.0 a new minor version (0.1 to 0.2) may change anything; the shared library's soname names
 * the minor version (libweft.so.0.1), so that a program never runs with another one's structs. A
 * new patch version adds functions and algorithms and mends results, and changes no struct, no
 * declaration and no parameter that there was.
 */
#ifndef WEFT_VERSION_H
#define WEFT_VERSION_H

/** Stands before each declaration that the library exports: all of <weft/...>, nothing else. */
#ifdef __GNUC__
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#ifdef __cplusplus
extern "C"
{
#endif

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0

/** Version as one number, to compare: 0.1.0 is 1000. */
#define WEFT_VERSION_NUMBER                                                                        \
    (WEFT_VERSION_MAJOR * 1000000 + WEFT_VERSION_MINOR * 1000 + WEFT_VERSION_PATCH)

    /** WEFT_VERSION_NUMBER of the library that runs: other than the header's, if only the patch
     * differs.
     */
    WEFT_API int weft_version(void);

#ifdef __cplusplus
}
#endif
#endif
