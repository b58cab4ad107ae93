// SPDX-License-Identifier: MIT
// Reads the instances of statements of a run, with everything that restricts their order.
//
// - Data: by block. Whatever an access touches of a block, it uses the block.
// - Scalars on the stack (local variables of up to 16 bytes, and what compilers put there themselves) are
// like
//   registers: what was written must come before it is read, but a new value does not wait for the reads of
//   the old one. They do not count as accesses.
// - Calls: a callee follows the part of the statement that calls it, and precedes the rest.
// - Accesses in no statement, or of optimized code, where registers hold what other statements need: they
// keep
//   their order among each other.
#ifndef DEJA_REORDER_COMPUTATION_H
#define DEJA_REORDER_COMPUTATION_H

#include "locate/locate.h"
#include "locate/region.h"
#include "reorder/dataflow.h"
#include "reorder/nests.h"

typedef struct dj_computation_options {
    const dj_located *located;
    dj_symbols *symbols;
    dj_region *region; // says which accesses count
    uint64_t block;
    bool memory; // addresses are those of memory; otherwise they are numbers of elements
    void (*on_progress)(void *user, const dj_progress *progress, uint64_t accesses); // may be NULL
    void *user;
} dj_computation_options;

typedef struct dj_computation {
    dj_dataflow flow;
    dj_nests nests;
    uint64_t accesses;        // that count
    uint64_t instances;       // with such accesses
    uint64_t in_order;        // those of them that keep their order
    uint64_t scalar_accesses; // that do not count
    char *partial_reason;     // why the source ended early; NULL: it did not
} dj_computation;

// Reads `source`, which must report statements and places, to its end, or to where it is damaged.
int dj_computation_read(dj_context *context, const dj_computation_options *options, dj_source *source,
                        dj_computation *out);
// Afterwards its instances can still be replayed, but not put into other orders.
void dj_computation_forget_dependences(dj_computation *computation);
void dj_computation_free(dj_computation *computation);

#endif
