// SPDX-License-Identifier: MIT
// Finds the loops of a graph by strongly connected components: a component with more than one block, or
// with an edge to itself, is a loop; its header is the block that a search from the entry meets first;
// without the edges to the header, the components inside are the nested loops. If the header dominates the
// loop, these are exactly the natural loops, with those of one header merged; a loop with several entries
// is found as one loop.
#include <stdlib.h>

#include "base/grow.h"
#include "symbols/loop/loop.h"

enum { DEPTH_MOST = 64, ROUNDS_MOST = 8, LOOPS_MOST = 1 << 20 };

// One search for components (Tarjan's, without recursion).
typedef struct search_state {
    dj_symbols *symbols;
    dj_graph *graph;
    dj_loop_nest *nest;
    bool *header;          // by block: edges to it no longer count
    uint32_t *index, *low; // by block; index 0: not visited in this region
    uint32_t *open, *path,
        *edge; // stacks: of blocks not yet in a component; of the path, with the edges taken
    bool *is_open;
    uint32_t *sorted; // the blocks of the region, grouped by component
    size_t open_count, path_count, sorted_count;
    uint32_t next;
} search_state;

static void enter_block(search_state *s, uint32_t block)
{
    s->index[block] = s->low[block] = ++s->next;
    s->open[s->open_count++] = block;
    s->is_open[block] = true;
    s->edge[s->path_count] = 0;
    s->path[s->path_count++] = block;
}

static void leave_block(search_state *s, uint32_t block)
{
    s->path_count--;
    if (s->path_count > 0) {
        uint32_t *low = &s->low[s->path[s->path_count - 1]];
        if (s->low[block] < *low)
            *low = s->low[block];
    }
    if (s->low[block] != s->index[block])
        return;
    uint32_t member;
    do {
        member = s->open[--s->open_count];
        s->is_open[member] = false;
        s->low[member] = s->index[block]; // identifies the component from now on
        s->sorted[s->sorted_count++] = member;
    } while (member != block);
}

// Whether an edge counts within the region, which is a loop without the edges to its header.
static bool counts(const search_state *s, uint32_t to, uint32_t region)
{
    return s->graph->blocks[to].loop == region && !s->header[to];
}

static void find_components(search_state *s, uint32_t root, uint32_t region)
{
    enter_block(s, root);
    while (s->path_count > 0) {
        uint32_t block = s->path[s->path_count - 1];
        const dj_block *at = &s->graph->blocks[block];
        uint32_t taken = s->edge[s->path_count - 1]++;
        if (taken == at->edge_count) {
            leave_block(s, block);
            continue;
        }
        uint32_t to = s->graph->edges[at->first_edge + taken].to;
        if (!counts(s, to, region))
            continue;
        if (s->index[to] == 0)
            enter_block(s, to);
        else if (s->is_open[to] && s->index[to] < s->low[block])
            s->low[block] = s->index[to];
    }
}

static bool leads_to_itself(const search_state *s, uint32_t block)
{
    const dj_block *at = &s->graph->blocks[block];
    for (uint32_t i = 0; i < at->edge_count; i++)
        if (s->graph->edges[at->first_edge + i].to == block)
            return !s->header[block];
    return false;
}

static int add_loop(search_state *s, const uint32_t *blocks, size_t count, uint32_t region)
{
    dj_loop_nest *nest = s->nest;
    int err = dj_grow(s->symbols->quiet, "loops", &nest->loops, &nest->capacity, nest->count + 1,
                      sizeof *nest->loops);
    if (err)
        return err;
    uint32_t header = blocks[0];
    uint32_t depth = region ? nest->loops[region - 1].depth + 1 : 1;
    for (size_t i = 0; i < count; i++) {
        dj_block *block = &s->graph->blocks[blocks[i]];
        if (block->order < s->graph->blocks[header].order)
            header = blocks[i];
        block->loop = (uint32_t)nest->count + 1;
    }
    s->header[header] = true;
    nest->loops[nest->count++] = (dj_nest_loop){.parent = region, .depth = depth, .header = header};
    return DJ_OK;
}

// Finds the loops among the blocks, which form the region, and then those inside them.
static int find_loops(search_state *s, uint32_t *blocks, size_t count, uint32_t region, unsigned depth)
{
    if (depth > DEPTH_MOST)
        return DJ_OK;
    s->sorted_count = 0;
    s->next = 0;
    for (size_t i = 0; i < count; i++)
        s->index[blocks[i]] = 0;
    for (size_t i = 0; i < count; i++)
        if (s->index[blocks[i]] == 0)
            find_components(s, blocks[i], region);
    for (size_t i = 0; i < count; i++)
        blocks[i] = s->sorted[i];
    // All components must be separated before the search within one overwrites them.
    size_t first_loop = s->nest->count, end;
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && s->low[blocks[end]] == s->low[blocks[i]];)
            end++;
        if ((end - i > 1 || leads_to_itself(s, blocks[i])) && s->nest->count < LOOPS_MOST) {
            int err = add_loop(s, blocks + i, end - i, region);
            if (err != DJ_OK)
                return err;
        }
    }
    for (size_t i = 0; s->nest->count > first_loop && i < count; i = end) {
        uint32_t loop = s->graph->blocks[blocks[i]].loop;
        for (end = i + 1; end < count && s->graph->blocks[blocks[end]].loop == loop;)
            end++;
        int err = loop != region ? find_loops(s, blocks + i, end - i, loop, depth + 1) : DJ_OK;
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}

static uint32_t common_loop(const dj_loop_nest *nest, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a > b)
            a = nest->loops[a - 1].parent;
        else
            b = nest->loops[b - 1].parent;
    }
    return a;
}

// The loop that all paths from a block lead to, ignoring dead ends.
static uint32_t loop_ahead(const dj_graph *graph, const dj_loop_nest *nest, const dj_block *block)
{
    uint32_t loop = 0;
    bool first = true;
    for (uint32_t i = 0; i < block->edge_count; i++) {
        const dj_block *to = &graph->blocks[graph->edges[block->first_edge + i].to];
        if (to == block || (to->loop == 0 && to->edge_count == 0))
            continue;
        loop = first ? to->loop : common_loop(nest, loop, to->loop);
        first = false;
    }
    return loop;
}

// Exception handlers are not reachable in the graph. One that continues within a loop belongs to it.
static void take_in_handlers(dj_graph *graph, const dj_loop_nest *nest)
{
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS_MOST; round++) {
        changed = false;
        for (size_t i = graph->block_count; i-- > 0;) {
            dj_block *block = &graph->blocks[i];
            if (block->order < graph->reached || block->loop || !block->busy)
                continue;
            block->loop = loop_ahead(graph, nest, block);
            changed |= block->loop != 0;
        }
    }
}

int dj_loop_nest_create(dj_symbols *symbols, dj_graph *graph, dj_loop_nest *out)
{
    size_t count = graph->block_count;
    *out = (dj_loop_nest){0};
    uint32_t *numbers = calloc(count, 7 * sizeof *numbers);
    bool *flags = calloc(count, 2 * sizeof *flags);
    int err = DJ_ERR_MEMORY;
    if (numbers && flags) {
        search_state s = {
            .symbols = symbols,
            .graph = graph,
            .nest = out,
            .header = flags,
            .is_open = flags + count,
            .index = numbers,
            .low = numbers + count,
            .open = numbers + 2 * count,
            .path = numbers + 3 * count,
            .edge = numbers + 4 * count,
            .sorted = numbers + 5 * count,
        };
        uint32_t *blocks = numbers + 6 * count;
        for (uint32_t i = 0; i < count; i++)
            blocks[i] = i;
        err = find_loops(&s, blocks, count, 0, 1);
        if (err == DJ_OK && out->count > 0)
            take_in_handlers(graph, out);
    }
    free(flags);
    free(numbers);
    if (err != DJ_OK)
        dj_loop_nest_free(out);
    return err;
}

void dj_loop_nest_free(dj_loop_nest *nest)
{
    free(nest->loops);
    *nest = (dj_loop_nest){0};
}
