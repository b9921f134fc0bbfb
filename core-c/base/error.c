/* SPDX-License-Identifier: MIT */
#include <weft/error.h>

const char *
weft_strerror(int code)
{
    switch (code)
    {
    case 0:
        return "success";
    case WEFT_EINVAL:
        return "an argument has no meaning here";
    case WEFT_ERANGE:
        return "the value is outside its bounds";
    case WEFT_EOVERFLOW:
        return "the value is too large to represent";
    case WEFT_ENOMEM:
        return "the memory given is too small";
    case WEFT_ENOTFOUND:
        return "there is no such name";
    case WEFT_ESYNTAX:
        return "the text is not a value of this type";
    case WEFT_EUNIT:
        return "the unit is missing or of the wrong kind";
    case WEFT_ENOPATH:
        return "there is no path";
    case WEFT_ENOTCLOS:
        return "it needs a Clos, and this fabric is none";
    default:
        return code > 0 ? "success" : "unknown error";
    }
}
