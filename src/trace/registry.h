// SPDX-License-Identifier: MIT
// All trace formats, and the detection of a trace's format.
#ifndef DEJA_TRACE_REGISTRY_H
#define DEJA_TRACE_REGISTRY_H

#include "trace/format.h"

extern const dj_format dj_format_deja;
extern const dj_format dj_format_address;
extern const dj_format dj_format_alibaba;
extern const dj_format dj_format_arc;
extern const dj_format dj_format_ascii5;
extern const dj_format dj_format_cachelib_block;
extern const dj_format dj_format_cachelib_kv;
extern const dj_format dj_format_csv;
extern const dj_format dj_format_dinero;
extern const dj_format dj_format_drmemtrace;
extern const dj_format dj_format_hexrw;
extern const dj_format dj_format_lackey;
extern const dj_format dj_format_lirs;
extern const dj_format dj_format_mooncake;
extern const dj_format dj_format_msr;
extern const dj_format dj_format_oracle_general;
extern const dj_format dj_format_ramulator;
extern const dj_format dj_format_spc;
extern const dj_format dj_format_text;
extern const dj_format dj_format_u32be;
extern const dj_format dj_format_u32le;
extern const dj_format dj_format_u64be;
extern const dj_format dj_format_u64le;
extern const dj_format dj_format_vscsi;
extern const dj_format dj_format_webcachesim;

// Returns NULL, with a DJ_ERR_USAGE message, if there is no format of this name.
const dj_format *dj_format_find(dj_context *context, const char *name);

// Finds the format with the highest score, extension included; the first one in the registry among equals.
// Text formats are not considered if the head is not text. DJ_ERR_INPUT if none fits.
int dj_format_detect(dj_context *context, const dj_head *head, const dj_format **out);

// How well the format fits the head: 0 (not at all) to 125. DJ_ERR_MEMORY if memory runs out.
int dj_format_score(const dj_format *format, const dj_head *head);

#endif
