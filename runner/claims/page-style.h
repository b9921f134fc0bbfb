/* SPDX-License-Identifier: GPL-2.0-only */
/** @file page-style.h  page.css and page.js as strings; CMakeLists.txt makes them. */
#ifndef WEFT_RUNNER_PAGE_STYLE_H
#define WEFT_RUNNER_PAGE_STYLE_H

extern const char page_style[];
extern const char page_script[];

#endif
