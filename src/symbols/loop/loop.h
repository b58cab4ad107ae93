// SPDX-License-Identifier: MIT
// Internals of code symbols: from the bytes of a function to its loops.
#ifndef DEJA_SYMBOLS_LOOP_LOOP_H
#define DEJA_SYMBOLS_LOOP_LOOP_H

#include "symbols/code.h"

enum dj_flow {
    DJ_FLOW_ON,       // continues with the next instruction
    DJ_FLOW_BRANCH,   // or to the target
    DJ_FLOW_JUMP,     // to the target
    DJ_FLOW_INDIRECT, // anywhere, perhaps through a jump table
    DJ_FLOW_END,      // leaves the function
};

typedef struct dj_instruction {
    uint64_t address;
    uint64_t target; // of branches and jumps; the address loaded by "lea"; otherwise 0
    uint8_t bytes;
    uint8_t flow; // enum dj_flow
    bool leads;   // a block starts here
    bool idle;    // a no-op: padding
    bool call;
    bool accesses; // it certainly accesses memory
} dj_instruction;

// The instructions of a function by address, in all its parts.
typedef struct dj_listing {
    dj_instruction *rows;
    size_t count, capacity;
    uint64_t *formed; // the addresses loaded by "lea", sorted
    size_t formed_count;
} dj_listing;

int dj_listing_read(dj_symbols *symbols, dj_module *module, const dj_ranges *parts, dj_listing *out);
void dj_listing_free(dj_listing *listing);
// The instruction that contains the address; NULL: none.
dj_instruction *dj_listing_find(const dj_listing *listing, uint64_t address);

typedef struct dj_edge {
    uint32_t from, to;
} dj_edge;

typedef struct dj_block {
    uint64_t lo, hi;
    uint32_t first_edge, edge_count; // to its successors
    uint32_t order;                  // position in a search from the entry
    uint32_t loop;                   // index + 1 of the innermost one; 0: none
    bool busy;                       // is not all padding
    bool calls;                      // it calls a function
    bool accesses;                   // memory, whenever it runs
} dj_block;

// The blocks of a function. The last one is artificial: jumps with unknown targets lead to it, and it leads
// to all blocks that nothing else leads to.
typedef struct dj_graph {
    dj_block *blocks;
    size_t block_count;
    dj_edge *edges; // by `from`
    size_t edge_count, edge_capacity;
    uint32_t reached; // blocks of a lower order are reached from the entry
} dj_graph;

int dj_graph_create(dj_symbols *symbols, const dj_module *module, dj_listing *listing, uint64_t entry,
                    dj_graph *out);
void dj_graph_free(dj_graph *graph);

// Visits the targets of an indirect jump, as far as a jump table can be read, some perhaps several times.
// Returns their number.
typedef int dj_target_visit(void *user, dj_instruction *target);
size_t dj_jump_targets(const dj_module *module, const dj_listing *listing, const dj_instruction *jump,
                       dj_target_visit *visit, void *user);

typedef struct dj_nest_loop {
    uint32_t parent; // index + 1, smaller than its own; 0: none
    uint32_t depth;
    uint32_t header; // block
} dj_nest_loop;

// Nested loops, parents first. Sets `loop` of every block.
typedef struct dj_loop_nest {
    dj_nest_loop *loops;
    size_t count, capacity;
} dj_loop_nest;

int dj_loop_nest_create(dj_symbols *symbols, dj_graph *graph, dj_loop_nest *out);
void dj_loop_nest_free(dj_loop_nest *nest);

// The lowest address of a loop if its header is not a block of the function; otherwise that of the header.
uint64_t dj_loop_header(const dj_graph *graph, const dj_loop_nest *nest, uint32_t loop);
// Keeps the flow of a function for dj_files_flow.
int dj_flow_keep(dj_symbols *symbols, uint64_t base, dj_function_entry *entry, const dj_graph *graph,
                 const dj_loop_nest *nest);

// The source lines of the loops.
typedef struct dj_loop_lines {
    const char *inlined; // the function, if it is inlined; otherwise NULL
    const char *file;
    uint32_t first, last;
} dj_loop_lines;

int dj_loop_lines_read(dj_symbols *symbols, dj_module *module, const dj_listing *listing,
                       const dj_graph *graph, const dj_loop_nest *nest, dj_loop_lines *out);

#endif
