// SPDX-License-Identifier: MIT
// String instructions (rep movs, rep stos, …) are reported step by step, or many steps within a line at once.
// Their steps are merged into accesses of at most 64 bytes within one line, separately for loads and stores.
// An access is placed where its last step was.
#ifndef DEJA_LIVE_STRINGS_H
#define DEJA_LIVE_STRINGS_H

#include <deja/batch.h>

enum { DJ_STRINGS_MOST = 4, DJ_STRING_LINE = 64 };

typedef struct dj_string_run {
    uint64_t begin, end;
    uint32_t site;
    uint8_t kind;
    uint8_t operand; // index among the accesses of the instruction: cmps loads twice
} dj_string_run;

// Runs in progress, at most one per operand.
typedef struct dj_strings {
    dj_string_run runs[DJ_STRINGS_MOST];
    uint32_t count;
    uint64_t joined; // steps so far that were merged into another access
} dj_strings;

// Processes one step. Adds at most one access to the batch.
void dj_strings_step(dj_strings *strings, dj_batch *batch, const dj_string_run *step);
// Something else follows: ends the runs in progress. Adds at most DJ_STRINGS_MOST accesses.
void dj_strings_flush(dj_strings *strings, dj_batch *batch);

// Appends one access; the batch must not be full.
static inline void dj_batch_append(dj_batch *batch, uint64_t address, uint64_t size, uint32_t site,
                                   uint8_t kind)
{
    dj_batch_buffers to = dj_batch_writable(batch);
    to.address[batch->count] = address;
    to.size[batch->count] = size;
    to.site[batch->count] = site;
    to.kind[batch->count] = kind;
    batch->count++;
}

#endif
