// SPDX-License-Identifier: MIT
// The control flow of a function, in numbers, so that a helper process can send it as it is.
#include <stdlib.h>

#include "symbols/files.h"
#include "symbols/loop/loop.h"

enum { HEAD_WORDS = 3, BLOCK_WORDS = 4, LOOP_WORDS = 4 };

static uint64_t *put_blocks(uint64_t *to, const dj_graph *graph, uint64_t base)
{
    for (size_t i = 0; i < graph->block_count; i++) {
        const dj_block *block = &graph->blocks[i];
        const bool artificial = i + 1 == graph->block_count;
        *to++ = artificial ? 0 : block->lo - base;
        *to++ = artificial ? 0 : block->hi - base;
        *to++ = block->loop | (uint64_t)block->accesses << 32;
        *to++ = block->edge_count;
        for (uint32_t k = 0; k < block->edge_count; k++)
            *to++ = graph->edges[block->first_edge + k].to;
    }
    return to;
}

int dj_flow_keep(dj_symbols *symbols, uint64_t base, dj_function_entry *entry, const dj_graph *graph,
                 const dj_loop_nest *nest)
{
    const bool loops = nest->count > 0;
    size_t count = HEAD_WORDS;
    if (loops)
        count += BLOCK_WORDS * graph->block_count + graph->edge_count + LOOP_WORDS * nest->count;
    uint64_t *to = malloc(count * sizeof *to);
    if (!to)
        return dj_fail_memory(symbols->quiet, "the control flow of a function", count * sizeof *to);
    entry->flow = to;
    entry->flow_count = count;
    *to++ = entry->lo - base;
    *to++ = loops ? graph->block_count : 0;
    *to++ = nest->count;
    if (loops)
        to = put_blocks(to, graph, base);
    for (size_t i = 0; i < nest->count; i++) {
        *to++ = nest->loops[i].parent;
        *to++ = nest->loops[i].depth;
        *to++ = nest->loops[i].header;
        *to++ = dj_loop_header(graph, nest, (uint32_t)i + 1) - base;
    }
    return DJ_OK;
}
