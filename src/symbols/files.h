// SPDX-License-Identifier: MIT
// Answers of symbols.h, read from the files in this process. Where they differ from symbols.h, they return
// more at once, so that a helper process needs fewer requests.
#ifndef DEJA_SYMBOLS_FILES_H
#define DEJA_SYMBOLS_FILES_H

#include "symbols/range.h"
#include "symbols/symbols.h"

dj_module_info dj_files_module(dj_symbols *symbols, uint32_t id);
uint32_t dj_files_function(dj_symbols *symbols, uint32_t id, uint64_t offset);
// All functions of a module by address, and its base; NULL: the module cannot be read.
const dj_ranges *dj_files_functions(dj_symbols *symbols, uint32_t id, uint64_t *base);
size_t dj_files_find_function(dj_symbols *symbols, uint32_t id, const char *name, uint32_t *out, size_t most);
int dj_files_code(dj_symbols *symbols, dj_context *context, const dj_code_query *query, dj_code *out);
bool dj_files_statement(dj_symbols *symbols, uint32_t id, uint64_t offset, dj_statement_info *out);
uint32_t dj_files_latch(dj_symbols *symbols, uint32_t id, uint64_t offset, uint64_t *block);
// All blocks of the function at an offset that start iterations, by address; NULL: none.
const dj_ranges *dj_files_latches(dj_symbols *symbols, uint32_t id, uint64_t offset);
const uint64_t *dj_files_flow(dj_symbols *symbols, uint32_t id, uint64_t offset, size_t *count);
bool dj_files_global(dj_symbols *symbols, uint32_t module, uint64_t offset, dj_extent *out);
bool dj_files_local(dj_symbols *symbols, uint32_t function, uint64_t pc, int64_t cfa_offset, dj_extent *out);

enum { DJ_FRAME_EXTENTS_MOST = 64 };

// The answers of dj_files_local for all offsets of a frame, valid while the program is in [lo, hi).
typedef struct dj_frame_variables {
    uint64_t lo, hi;
    size_t count;                             // 0: too many
    dj_extent extents[DJ_FRAME_EXTENTS_MOST]; // variable 0: none
} dj_frame_variables;

void dj_files_frame(dj_symbols *symbols, uint32_t function, uint64_t pc, dj_frame_variables *out);
void dj_files_element(dj_symbols *symbols, uint32_t variable, uint64_t offset, uint64_t bytes, bool any_index,
                      char *text, size_t capacity);
uint32_t dj_files_pointer(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset);
bool dj_files_pointer_returned(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset);

#endif
