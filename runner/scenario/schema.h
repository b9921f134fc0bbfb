/* SPDX-License-Identifier: GPL-2.0-only */
/** @file schema.h  The RELAX NG schema of scenarios, made from the tables. */
#ifndef WEFT_RUNNER_SCHEMA_H
#define WEFT_RUNNER_SCHEMA_H

/** The schema (XML syntax); the caller frees it. */
char *schema_text(void);

#endif
