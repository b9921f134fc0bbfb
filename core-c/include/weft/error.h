/* SPDX-License-Identifier: MIT */
/** @file error.h  Error codes of the Weft core. Functions return 0 or a count, or one of these. */
#ifndef WEFT_ERROR_H
#define WEFT_ERROR_H

#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    enum weft_error
    {
        WEFT_EINVAL = -1,    /**< an argument has no meaning here */
        WEFT_ERANGE = -2,    /**< a value lies outside its documented bounds */
        WEFT_EOVERFLOW = -3, /**< a size or a product does not fit, or is absurd (10^9 hosts) */
        WEFT_ENOMEM = -4,    /**< the caller's memory is too small */
        WEFT_ENOTFOUND = -5, /**< no such name */
        WEFT_ESYNTAX = -6,   /**< text is not a number, a choice or a boolean */
        WEFT_EUNIT = -7,     /**< a unit is missing or of the wrong kind */
        WEFT_ENOPATH = -8,   /**< no path, or no PathMap, exists */
        WEFT_ENOTCLOS = -9,  /**< it works in a Clos alone, and this fabric is none */
    };

    /** A short English sentence for @p code; never NULL. 0 gives "success". */
    WEFT_API const char *weft_strerror(int code);

#ifdef __cplusplus
}
#endif
#endif
