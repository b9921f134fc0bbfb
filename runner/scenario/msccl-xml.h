/* SPDX-License-Identifier: GPL-2.0-only */
/** @file msccl-xml.h  Algorithms of collectives in the XML of MSCCL. */
#ifndef WEFT_RUNNER_MSCCL_XML_H
#define WEFT_RUNNER_MSCCL_XML_H

#include "msccl-ops.h"
#include "table-lines.h"

/** Reads one. False after errors, which name a line. The caller frees it either way. */
bool msccl_xml_parse(struct input_source *from, const char *bytes, size_t size,
                     struct msccl_algorithm *algorithm);

#endif
