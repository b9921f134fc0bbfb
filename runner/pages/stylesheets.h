/* SPDX-License-Identifier: GPL-2.0-only */
/** @file stylesheets.h  Files of this folder as strings; CMakeLists.txt makes them. */
#ifndef WEFT_RUNNER_STYLESHEETS_H
#define WEFT_RUNNER_STYLESHEETS_H

extern const char html_stylesheet[];
extern const char markdown_stylesheet[];
extern const char list_stylesheet[];
extern const char list_markdown_stylesheet[];
extern const char schema_stylesheet[];
extern const char page_style[];
extern const char page_script[];

#endif
