/* SPDX-License-Identifier: MIT */
/** @file api.h  What the library exports: all that a header of <weft/...> declares, nothing else.
 */
#ifndef WEFT_API_H
#define WEFT_API_H

/** Stands before each declaration that the library exports. */
#ifdef __GNUC__
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#endif
