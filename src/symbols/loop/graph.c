// SPDX-License-Identifier: MIT
// The control-flow graph of a function.
#include <stdlib.h>

#include "base/grow.h"
#include "symbols/loop/loop.h"

enum { INDIRECT_MOST = 1024 };

static int graph_add_edge(dj_graph *graph, dj_context *context, uint32_t from, uint32_t to)
{
    int err = dj_grow(context, "a control-flow graph", &graph->edges, &graph->edge_capacity,
                      graph->edge_count + 1, sizeof *graph->edges);
    if (err)
        return err;
    graph->edges[graph->edge_count++] = (dj_edge){from, to};
    return DJ_OK;
}

void dj_graph_free(dj_graph *graph)
{
    free(graph->blocks);
    free(graph->edges);
    *graph = (dj_graph){0};
}

static int mark_leader(void *user, dj_instruction *target)
{
    (void)user;
    target->leads = true;
    return DJ_OK;
}

static void mark_leaders(const dj_module *module, dj_listing *listing, uint64_t entry)
{
    dj_instruction *first = dj_listing_find(listing, entry);
    size_t indirect = 0;
    if (first)
        first->leads = true;
    for (size_t i = 0; i < listing->count; i++) {
        dj_instruction *at = &listing->rows[i];
        bool follows = i > 0 && at[-1].address + at[-1].bytes == at->address && at[-1].flow == DJ_FLOW_ON;
        if (!follows)
            at->leads = true;
        if (at->flow == DJ_FLOW_BRANCH || at->flow == DJ_FLOW_JUMP) {
            dj_instruction *target = dj_listing_find(listing, at->target);
            if (target)
                target->leads = true;
        } else if (at->flow == DJ_FLOW_INDIRECT && indirect++ < INDIRECT_MOST) {
            dj_jump_targets(module, listing, at, mark_leader, NULL);
        }
    }
}

static int make_blocks(dj_symbols *symbols, const dj_listing *listing, dj_graph *graph)
{
    size_t count = 1;
    for (size_t i = 0; i < listing->count; i++)
        count += listing->rows[i].leads;
    graph->blocks = calloc(count, sizeof *graph->blocks);
    if (!graph->blocks)
        return dj_fail_memory(symbols->quiet, "a control-flow graph", count * sizeof *graph->blocks);
    for (size_t i = 0; i < listing->count; i++) {
        const dj_instruction *at = &listing->rows[i];
        if (at->leads)
            graph->blocks[graph->block_count++].lo = at->address;
        dj_block *block = &graph->blocks[graph->block_count - 1];
        block->hi = at->address + at->bytes;
        block->busy |= !at->idle;
        block->calls |= at->call;
        block->accesses |= at->accesses;
    }
    graph->block_count++;
    return DJ_OK;
}

static uint32_t block_at(const dj_graph *graph, uint64_t address)
{
    size_t lo = 0, hi = graph->block_count - 1;
    while (lo + 1 < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (graph->blocks[middle].lo <= address)
            lo = middle;
        else
            hi = middle;
    }
    return (uint32_t)lo;
}

typedef struct edge_maker {
    dj_symbols *symbols;
    dj_graph *graph;
    uint32_t from;
    int err;
} edge_maker;

static int add_target(void *user, dj_instruction *target)
{
    edge_maker *maker = user;
    uint32_t to = block_at(maker->graph, target->address);
    maker->err = graph_add_edge(maker->graph, maker->symbols->quiet, maker->from, to);
    return maker->err;
}

static int add_edges_of(edge_maker *maker, const dj_module *module, const dj_listing *listing,
                        const dj_instruction *last, bool adjacent, size_t *indirect)
{
    dj_context *quiet = maker->symbols->quiet;
    dj_graph *graph = maker->graph;
    if (last->flow == DJ_FLOW_BRANCH || last->flow == DJ_FLOW_JUMP) {
        dj_instruction *target = dj_listing_find(listing, last->target);
        if (target && add_target(maker, target) != DJ_OK)
            return maker->err;
    } else if (last->flow == DJ_FLOW_INDIRECT) {
        size_t known =
            (*indirect)++ < INDIRECT_MOST ? dj_jump_targets(module, listing, last, add_target, maker) : 0;
        if (maker->err != DJ_OK)
            return maker->err;
        if (known == 0)
            return graph_add_edge(graph, quiet, maker->from, (uint32_t)graph->block_count - 1);
    }
    if (adjacent && (last->flow == DJ_FLOW_ON || last->flow == DJ_FLOW_BRANCH))
        return graph_add_edge(graph, quiet, maker->from, maker->from + 1);
    return DJ_OK;
}

static int make_edges(dj_symbols *symbols, const dj_module *module, const dj_listing *listing,
                      dj_graph *graph)
{
    edge_maker maker = {.symbols = symbols, .graph = graph};
    size_t indirect = 0;
    for (size_t i = 0; i < listing->count; i++) {
        const dj_instruction *at = &listing->rows[i];
        bool ends = i + 1 == listing->count || at[1].leads;
        if (!ends)
            continue;
        bool adjacent = i + 1 < listing->count && at->address + at->bytes == at[1].address;
        int err = add_edges_of(&maker, module, listing, at, adjacent, &indirect);
        if (err != DJ_OK)
            return err;
        maker.from++;
    }
    return DJ_OK;
}

// Jumps with unknown targets lead to all blocks that nothing else leads to.
static int add_unknown(dj_symbols *symbols, dj_graph *graph, uint32_t entry)
{
    uint32_t unknown = (uint32_t)graph->block_count - 1;
    bool used = false;
    int err = DJ_OK;
    bool *reached = calloc(graph->block_count, sizeof *reached);
    if (!reached)
        return dj_fail_memory(symbols->quiet, "a control-flow graph", graph->block_count);
    for (size_t i = 0; i < graph->edge_count; i++) {
        reached[graph->edges[i].to] = true;
        used |= graph->edges[i].to == unknown;
    }
    for (uint32_t i = 0; used && err == DJ_OK && i < unknown; i++)
        if (!reached[i] && i != entry)
            err = graph_add_edge(graph, symbols->quiet, unknown, i);
    free(reached);
    return err;
}

// Edges were created in the order of their source blocks.
static void number_edges(dj_graph *graph)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        dj_block *from = &graph->blocks[graph->edges[i].from];
        if (from->edge_count++ == 0)
            from->first_edge = (uint32_t)i;
    }
}

// Depth-first order from the entry, then from unreached blocks.
static int number_blocks(dj_symbols *symbols, dj_graph *graph, uint32_t entry)
{
    size_t depth = 0;
    uint32_t next = 1;
    dj_edge *stack = malloc(graph->block_count * sizeof *stack); // block, edges taken
    if (!stack)
        return dj_fail_memory(symbols->quiet, "a control-flow graph", graph->block_count * sizeof *stack);
    for (uint32_t i = 0; i <= graph->block_count; i++) {
        uint32_t root = i == 0 ? entry : i - 1;
        if (i == 1)
            graph->reached = next;
        if (graph->blocks[root].order)
            continue;
        graph->blocks[root].order = next++;
        stack[depth++] = (dj_edge){root, 0};
        while (depth > 0) {
            dj_edge *top = &stack[depth - 1];
            const dj_block *block = &graph->blocks[top->from];
            if (top->to == block->edge_count) {
                depth--;
                continue;
            }
            uint32_t to = graph->edges[block->first_edge + top->to++].to;
            if (!graph->blocks[to].order) {
                graph->blocks[to].order = next++;
                stack[depth++] = (dj_edge){to, 0};
            }
        }
    }
    free(stack);
    return DJ_OK;
}

int dj_graph_create(dj_symbols *symbols, const dj_module *module, dj_listing *listing, uint64_t entry,
                    dj_graph *out)
{
    *out = (dj_graph){0};
    mark_leaders(module, listing, entry);
    int err = make_blocks(symbols, listing, out);
    if (err == DJ_OK)
        err = make_edges(symbols, module, listing, out);
    uint32_t first = err == DJ_OK ? block_at(out, entry) : 0;
    if (err == DJ_OK)
        err = add_unknown(symbols, out, first);
    if (err == DJ_OK) {
        number_edges(out);
        err = number_blocks(symbols, out, first);
    }
    if (err != DJ_OK)
        dj_graph_free(out);
    return err;
}
