// SPDX-License-Identifier: MIT
// What is known in the registers and the frame before an allocation, on all paths through the function that
// lead there: for `a[i] = malloc(n)` in a loop, the address of a[i] is in a register that was set up long
// before.
#include "symbols/loop/loop.h"
#include "symbols/pointer/pointer.h"

enum { FUNCTION_BYTES_MOST = 1 << 16, BLOCKS_MOST = 1 << 12, STEPS_MOST = 1 << 17 };

typedef struct passage {
    dj_follow *follow;
    csh handle;
    cs_insn *insn;
    dj_graph graph;
    dj_known *before; // of each block
    unsigned steps;
} passage;

static bool is_same_thing(const dj_value *a, const dj_value *b)
{
    return a->kind == b->kind && a->target == b->target && a->type == b->type && a->name == b->name &&
           a->call == b->call;
}

// What is true of both; different indexes become any index. True if *into has changed.
static bool join_value(dj_value *into, const dj_value *other)
{
    if (into->kind == DJ_VALUE_NONE)
        return false;
    if (!is_same_thing(into, other)) {
        *into = (dj_value){0};
        return true;
    }
    if (into->any || (into->offset == other->offset && !other->any))
        return false;
    into->any = true;
    return true;
}

static bool join_spills(dj_known *into, const dj_known *other)
{
    bool changed = false;
    for (size_t i = into->spill_count; i-- > 0;) {
        size_t k = 0;
        while (k < other->spill_count && other->spills[k].cfa_offset != into->spills[i].cfa_offset)
            k++;
        const dj_value nothing = {0};
        changed |=
            join_value(&into->spills[i].value, k < other->spill_count ? &other->spills[k].value : &nothing);
        if (into->spills[i].value.kind == DJ_VALUE_NONE)
            into->spills[i] = into->spills[--into->spill_count];
    }
    return changed;
}

static bool join(dj_known *into, const dj_known *other)
{
    bool changed = !into->reached;
    if (!into->reached) {
        *into = *other;
        into->reached = true;
        return true;
    }
    for (int i = 0; i < DJ_REGISTER_COUNT; i++)
        changed |= join_value(&into->values[i], &other->values[i]);
    return join_spills(into, other) || changed;
}

static void run_block(passage *flow, const dj_block *block)
{
    for (uint64_t pc = block->lo; pc < block->hi && flow->steps < STEPS_MOST; flow->steps++) {
        if (!dj_follow_at(flow->follow, flow->handle, flow->insn, pc))
            return;
        pc = flow->follow->next;
    }
}

// Repeats until nothing changes: every value can change at most twice.
static bool settle(passage *flow)
{
    bool changed = true;
    while (changed && flow->steps < STEPS_MOST) {
        changed = false;
        for (size_t i = 0; i < flow->graph.block_count; i++) {
            const dj_block *block = &flow->graph.blocks[i];
            if (!flow->before[i].reached)
                continue;
            flow->follow->now = flow->before[i];
            // Nothing is known after the artificial block of indirect jumps.
            if (i + 1 == flow->graph.block_count)
                flow->follow->now = (dj_known){.reached = true};
            else
                run_block(flow, block);
            for (uint32_t k = 0; k < block->edge_count; k++)
                changed |=
                    join(&flow->before[flow->graph.edges[block->first_edge + k].to], &flow->follow->now);
        }
    }
    return flow->steps < STEPS_MOST;
}

static bool read_graph(const dj_follow *follow, const dj_subprogram *function, dj_graph *graph)
{
    dj_symbols *symbols = follow->data->symbols;
    dj_ranges parts = {0};
    dj_listing listing = {0};
    bool good = function->hi - function->lo <= FUNCTION_BYTES_MOST &&
                dj_ranges_add(&parts, symbols->quiet, function->lo, function->hi, 0) == DJ_OK &&
                dj_listing_read(symbols, follow->data->module, &parts, &listing) == DJ_OK &&
                dj_graph_create(symbols, follow->data->module, &listing, function->lo, graph) == DJ_OK &&
                graph->block_count <= BLOCKS_MOST;
    dj_listing_free(&listing);
    dj_ranges_free(&parts);
    return good;
}

static size_t block_of(const dj_graph *graph, uint64_t address)
{
    for (size_t i = 0; i + 1 < graph->block_count; i++)
        if (address >= graph->blocks[i].lo && address < graph->blocks[i].hi)
            return i;
    return graph->block_count;
}

void dj_follow_begin(dj_follow *follow, csh handle, cs_insn *insn, const dj_subprogram *function,
                     uint64_t *start)
{
    dj_data *data = follow->data;
    passage flow = {.follow = follow, .handle = handle, .insn = insn};
    size_t at, entry;
    *start = follow->from;
    if (!read_graph(follow, function, &flow.graph))
        goto done;
    at = block_of(&flow.graph, follow->from - 1);
    entry = block_of(&flow.graph, function->lo);
    flow.before = dj_footprint_array(&data->footprint, data->symbols->quiet, "values", flow.graph.block_count,
                                     sizeof *flow.before);
    if (flow.before == NULL || at == flow.graph.block_count || entry == flow.graph.block_count)
        goto done;
    flow.before[entry].reached = true;
    bool settled = settle(&flow);
    follow->now = (dj_known){0};
    follow->best = (dj_holder){0};
    if (settled && flow.before[at].reached) {
        follow->now = flow.before[at];
        *start = flow.graph.blocks[at].lo;
    }
done:
    dj_footprint_free(&data->footprint, flow.before, flow.graph.block_count, sizeof *flow.before);
    dj_graph_free(&flow.graph);
}
