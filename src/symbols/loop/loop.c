// SPDX-License-Identifier: MIT
// The loops of a function, found on first use.
#include "symbols/loop/chain.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/map.h"

// All ranges of the function: its main part, and parts that were moved away.
static int find_parts(dj_symbols *symbols, dj_module *module, const dj_function_entry *entry,
                      dj_ranges *parts)
{
    const dj_module_code *code = module->code;
    size_t length = entry->symbol ? strlen(entry->symbol) : 0;
    size_t at = dj_ranges_from(&code->functions, entry->lo);
    for (; at < code->functions.count && code->functions.rows[at].lo < entry->hi; at++) {
        const dj_range *span = &code->functions.rows[at];
        int err = code->entries.rows[span->item].lo == entry->lo
                      ? dj_ranges_add(parts, symbols->quiet, span->lo, span->hi, 0)
                      : DJ_OK;
        if (err != DJ_OK)
            return err;
    }
    for (size_t i = 0; length > 0 && i < code->cold_count; i++) {
        const dj_function_entry *cold = &code->entries.rows[code->cold[i]];
        if (strncmp(cold->symbol, entry->symbol, length) != 0 ||
            strncmp(cold->symbol + length, ".cold", 5) != 0 ||
            dj_function_number(symbols, module, code->cold[i]) != entry->number)
            continue;
        int err = dj_ranges_add(parts, symbols->quiet, cold->lo, cold->hi, 0);
        if (err != DJ_OK)
            return err;
    }
    return dj_ranges_flatten(parts, symbols->quiet);
}

uint64_t dj_loop_header(const dj_graph *graph, const dj_loop_nest *nest, uint32_t loop)
{
    uint64_t lowest = graph->blocks[nest->loops[loop - 1].header].lo;
    for (size_t i = 0; nest->loops[loop - 1].header == graph->block_count - 1 && i + 1 < graph->block_count;
         i++) {
        uint32_t around = graph->blocks[i].loop;
        while (around > loop)
            around = nest->loops[around - 1].parent;
        if (around == loop)
            return graph->blocks[i].lo;
    }
    return lowest;
}

typedef struct loop_key {
    uint64_t file, parent, lines;
} loop_key;

// Compilers make several loops of one (vectorized and remainder, two versions): those at the same lines
// within the same loop are one loop to the user.
static int number_loops(dj_symbols *symbols, const dj_module *module, const dj_function_entry *entry,
                        const dj_graph *graph, const dj_loop_nest *nest, const dj_loop_lines *lines,
                        uint32_t *numbers)
{
    dj_footprint footprint = {0};
    dj_map known;
    int err = dj_map_create(&known, symbols->quiet, &footprint, 0);
    for (size_t i = 0; err == DJ_OK && i < nest->count; i++) {
        const dj_nest_loop *loop = &nest->loops[i];
        uint32_t parent = loop->parent ? numbers[loop->parent - 1] : 0;
        loop_key key = {(uint64_t)(uintptr_t)lines[i].file, parent,
                        (uint64_t)lines[i].first << 32 | lines[i].last};
        if (lines[i].first == 0)
            key.lines = i; // nothing is known: each is separate
        uint64_t *number = dj_map_at(&known, symbols->quiet, XXH3_64bits(&key, sizeof key));
        dj_loop_info *info;
        uint64_t header = dj_loop_header(graph, nest, (uint32_t)i + 1);
        if (number && *number) {
            numbers[i] = (uint32_t)*number;
            info = dj_numbered_get(&symbols->loops, numbers[i]);
            if (header - module->base < info->header)
                info->header = header - module->base;
            continue;
        }
        info = number ? dj_numbered_add(&symbols->loops, symbols->quiet, &numbers[i]) : NULL;
        if (!info) {
            err = DJ_ERR_MEMORY;
            break;
        }
        *number = numbers[i];
        *info = (dj_loop_info){
            .function = entry->number,
            .parent = parent,
            .depth = loop->depth,
            .inlined = lines[i].inlined,
            .file = lines[i].file ? lines[i].file : "",
            .first_line = lines[i].first,
            .last_line = lines[i].last,
            .header = header - module->base,
        };
    }
    dj_map_destroy(&known);
    return err;
}

// The index + 1 of the loop around a block to whose header one of its edges leads; 0: none.
static uint32_t find_back_edge(const dj_graph *graph, const dj_loop_nest *nest, const dj_block *block)
{
    for (uint32_t loop = block->loop; loop; loop = nest->loops[loop - 1].parent)
        for (uint32_t i = 0; i < block->edge_count; i++)
            if (graph->edges[block->first_edge + i].to == nest->loops[loop - 1].header)
                return loop;
    return 0;
}

// The only predecessor of `block`; NULL: there is none.
static const dj_block *find_predecessor(const dj_graph *graph, const dj_block *block)
{
    const dj_block *found = NULL;
    for (size_t i = 0; i < graph->edge_count; i++) {
        if (&graph->blocks[graph->edges[i].to] != block)
            continue;
        if (found)
            return NULL;
        found = &graph->blocks[graph->edges[i].from];
    }
    return found;
}

// An iteration is reported where the block that jumps back calls the tracer or, if it only jumps, in the
// block before it. The first byte is excluded, so that adjacent blocks are not merged.
static int keep_latch(dj_symbols *symbols, dj_function_entry *entry, const dj_graph *graph,
                      const dj_block *block, uint32_t number)
{
    const dj_block *counted = block->calls ? block : find_predecessor(graph, block);
    return counted ? dj_ranges_add(&entry->latches, symbols->quiet, counted->lo + 1, counted->hi, number)
                   : DJ_OK;
}

static int keep_loops(dj_symbols *symbols, dj_module *module, dj_function_entry *entry,
                      const dj_listing *listing, const dj_graph *graph, const dj_loop_nest *nest)
{
    if (nest->count == 0)
        return DJ_OK;
    dj_loop_lines *lines = calloc(nest->count, sizeof *lines);
    uint32_t *numbers = calloc(nest->count, sizeof *numbers);
    int err = lines && numbers ? DJ_OK : dj_fail_memory(symbols->quiet, "loops", 0);
    if (err == DJ_OK)
        err = dj_loop_lines_read(symbols, module, listing, graph, nest, lines);
    if (err == DJ_OK)
        err = number_loops(symbols, module, entry, graph, nest, lines, numbers);
    for (size_t i = 0; err == DJ_OK && i + 1 < graph->block_count; i++) {
        const dj_block *block = &graph->blocks[i];
        uint32_t back_to = find_back_edge(graph, nest, block);
        if (block->loop)
            err =
                dj_ranges_add(&entry->loops, symbols->quiet, block->lo, block->hi, numbers[block->loop - 1]);
        if (err == DJ_OK && back_to)
            err = keep_latch(symbols, entry, graph, block, numbers[back_to - 1]);
    }
    if (err == DJ_OK)
        err = dj_ranges_flatten(&entry->loops, symbols->quiet);
    if (err == DJ_OK)
        err = dj_ranges_flatten(&entry->latches, symbols->quiet);
    free(numbers);
    free(lines);
    return err;
}

static int find_loops(dj_symbols *symbols, dj_module *module, dj_function_entry *entry)
{
    dj_ranges parts = {0};
    dj_listing listing = {0};
    dj_graph graph = {0};
    dj_loop_nest nest = {0};
    int err = find_parts(symbols, module, entry, &parts);
    if (err == DJ_OK)
        err = dj_listing_read(symbols, module, &parts, &listing);
    if (err == DJ_OK && listing.count > 0) {
        err = dj_graph_create(symbols, module, &listing, entry->lo, &graph);
        if (err == DJ_OK)
            err = dj_loop_nest_create(symbols, &graph, &nest);
        if (err == DJ_OK && !symbols->code_only)
            err = keep_loops(symbols, module, entry, &listing, &graph, &nest);
        if (err == DJ_OK)
            err = dj_flow_keep(symbols, module->base, entry, &graph, &nest);
    }
    dj_loop_nest_free(&nest);
    dj_graph_free(&graph);
    dj_listing_free(&listing);
    dj_ranges_free(&parts);
    return err;
}

// The function's entry, with its loops; NULL: it has no code to search.
static dj_function_entry *find_entry(dj_symbols *symbols, dj_module *module, uint32_t index)
{
    dj_function_entry *entry = &module->code->entries.rows[index];
    uint32_t number = dj_function_number(symbols, module, index);
    const dj_function_info *info = dj_symbols_function_info(symbols, number);
    if (!info || info->stub)
        return NULL;
    if (info->lo + module->base != entry->lo) { // a part that was moved away
        const dj_range *span = dj_ranges_find(&module->code->functions, info->lo + module->base);
        entry = span ? &module->code->entries.rows[span->item] : entry;
    }
    if (!entry->looped) {
        entry->looped = true;
        if (find_loops(symbols, module, entry) != DJ_OK) {
            dj_ranges_free(&entry->loops);
            dj_ranges_free(&entry->latches);
            free(entry->flow);
            entry->flow = NULL;
            entry->flow_count = 0;
        }
    }
    return entry;
}

uint32_t dj_loop_at(dj_symbols *symbols, dj_module *module, uint32_t index, uint64_t address)
{
    const dj_function_entry *entry = find_entry(symbols, module, index);
    const dj_range *found = entry ? dj_ranges_find(&entry->loops, address) : NULL;
    return found ? found->item : 0;
}

static int find_chains(dj_symbols *symbols, dj_module *module, dj_function_entry *entry)
{
    dj_ranges parts = {0};
    dj_listing listing = {0};
    dj_graph graph = {0};
    dj_loop_nest nest = {0};
    int err = find_parts(symbols, module, entry, &parts);
    if (err == DJ_OK)
        err = dj_listing_read(symbols, module, &parts, &listing);
    if (err == DJ_OK && listing.count > 0) {
        err = dj_graph_create(symbols, module, &listing, entry->lo, &graph);
        if (err == DJ_OK)
            err = dj_loop_nest_create(symbols, &graph, &nest);
        if (err == DJ_OK)
            err = dj_chains_find(symbols, module, &graph, entry->lo, &entry->chains);
    }
    dj_loop_nest_free(&nest);
    dj_graph_free(&graph);
    dj_listing_free(&listing);
    dj_ranges_free(&parts);
    return err;
}

enum dj_chain dj_chain_at(dj_symbols *symbols, dj_module *module, uint32_t index, uint64_t address)
{
    dj_function_entry *entry = find_entry(symbols, module, index);
    if (entry && !entry->chained) {
        entry->chained = true;
        if (find_chains(symbols, module, entry) != DJ_OK)
            dj_ranges_free(&entry->chains);
    }
    const dj_range *found = entry ? dj_ranges_find(&entry->chains, address) : NULL;
    return found ? (enum dj_chain)found->item : DJ_CHAIN_NONE;
}

const dj_ranges *dj_files_latches(dj_symbols *symbols, uint32_t id, uint64_t offset)
{
    dj_module *module = dj_module_get(symbols, id);
    dj_module_code *code = module ? dj_module_code_get(symbols, module) : NULL;
    const dj_range *span = code ? dj_ranges_find(&code->functions, module->base + offset) : NULL;
    const dj_function_entry *entry = span ? find_entry(symbols, module, span->item) : NULL;
    return entry ? &entry->latches : NULL;
}

const uint64_t *dj_files_flow(dj_symbols *symbols, uint32_t id, uint64_t offset, size_t *count)
{
    dj_module *module = dj_module_get(symbols, id);
    dj_module_code *code = module ? dj_module_code_get(symbols, module) : NULL;
    const dj_range *span = code ? dj_ranges_find(&code->functions, module->base + offset) : NULL;
    const dj_function_entry *entry = span ? find_entry(symbols, module, span->item) : NULL;
    *count = entry ? entry->flow_count : 0;
    return entry ? entry->flow : NULL;
}

uint32_t dj_files_latch(dj_symbols *symbols, uint32_t id, uint64_t offset, uint64_t *block)
{
    const dj_ranges *latches = dj_files_latches(symbols, id, offset);
    const dj_range *found = latches ? dj_ranges_find(latches, symbols->modules[id]->base + offset) : NULL;
    *block = found ? found->lo : 0;
    return found ? found->item : 0;
}

const dj_loop_info *dj_symbols_loop_info(const dj_symbols *symbols, uint32_t loop)
{
    return dj_numbered_get(&symbols->loops, loop);
}
