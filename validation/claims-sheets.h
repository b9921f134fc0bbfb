/* SPDX-License-Identifier: GPL-2.0-only */
/** @file claims-sheets.h  Stylesheets of this folder as strings; CMakeLists.txt makes them. */
#ifndef WEFT_VALIDATION_CLAIMS_SHEETS_H
#define WEFT_VALIDATION_CLAIMS_SHEETS_H

extern const char claims_html_sheet[];
extern const char claims_markdown_sheet[];
extern const char summary_sheet[];

#endif
