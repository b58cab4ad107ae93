// SPDX-License-Identifier: MIT
// Where loops lie in the source: in the innermost function, inlined or not,
// that all instructions of the loop belong to, from the lowest to the highest
// of their lines in its file. An instruction of what is inlined further in
// counts with the line of the call.
#include <stdlib.h>

#include "symbols/loop.h"

// The function that all instructions of a loop met so far belong to.
typedef struct home {
    const dj_unit *unit; // NULL: none was met
    uint32_t scope;      // DJ_NO_SCOPE: no function is known
} home;

static uint32_t scope_index(const dj_unit *unit, uint64_t address)
{
    const dj_scope *scope = dj_unit_scope(unit, address);
    return scope ? (uint32_t)(scope - unit->scopes) : DJ_NO_SCOPE;
}

// Parents have lower numbers.
static uint32_t common_scope(const dj_unit *unit, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a == DJ_NO_SCOPE || b == DJ_NO_SCOPE)
            return DJ_NO_SCOPE;
        if (a > b)
            a = unit->scopes[a].parent;
        else
            b = unit->scopes[b].parent;
    }
    return a;
}

static void join_home(home *into, const dj_unit *unit, uint32_t scope)
{
    if (!into->unit)
        *into = (home){unit, scope};
    else if (into->unit == unit)
        into->scope = common_scope(unit, into->scope, scope);
}

static void count_line(dj_loop_lines *lines, const home *at, uint32_t scope, const dj_line_row *row)
{
    const char *file = row->file;
    uint32_t line = row->line;
    for (; scope != at->scope; scope = at->unit->scopes[scope].parent) {
        if (scope == DJ_NO_SCOPE)
            return;
        file = at->unit->scopes[scope].file;
        line = at->unit->scopes[scope].line;
    }
    if (!lines->file)
        lines->file = at->scope == DJ_NO_SCOPE ? file : at->unit->scopes[at->scope].source_file;
    if (file != lines->file || line == 0)
        return;
    if (lines->first == 0 || line < lines->first)
        lines->first = line;
    if (line > lines->last)
        lines->last = line;
}

typedef void visit_instruction(home *homes, const dj_nest *nest, uint32_t loop, const dj_unit *unit,
                               uint64_t address, dj_loop_lines *lines);

static void visit_home(home *homes, const dj_nest *nest, uint32_t loop, const dj_unit *unit, uint64_t address,
                       dj_loop_lines *lines)
{
    (void)lines;
    (void)nest;
    join_home(&homes[loop - 1], unit, scope_index(unit, address));
}

static void visit_line(home *homes, const dj_nest *nest, uint32_t loop, const dj_unit *unit, uint64_t address,
                       dj_loop_lines *lines)
{
    const dj_line_row *row = dj_unit_row(unit, address);
    uint32_t scope = scope_index(unit, address);
    for (; row && loop; loop = nest->loops[loop - 1].parent)
        if (homes[loop - 1].unit == unit)
            count_line(&lines[loop - 1], &homes[loop - 1], scope, row);
}

static void each_instruction(dj_symbols *symbols, dj_module *module, const dj_listing *listing,
                             const dj_graph *graph, const dj_nest *nest, visit_instruction *visit,
                             home *homes, dj_loop_lines *lines)
{
    uint32_t block = 0;
    for (size_t i = 0; i < listing->count; i++) {
        uint64_t address = listing->rows[i].address;
        while (graph->blocks[block].hi <= address)
            block++;
        uint32_t loop = graph->blocks[block].loop;
        const dj_unit *unit = loop ? dj_lines_unit(symbols, module, address) : NULL;
        if (unit && dj_unit_row(unit, address))
            visit(homes, nest, loop, unit, address, lines);
    }
}

int dj_loop_lines_read(dj_symbols *symbols, dj_module *module, const dj_listing *listing,
                       const dj_graph *graph, const dj_nest *nest, dj_loop_lines *out)
{
    home *homes = calloc(nest->count, sizeof *homes);
    if (!homes)
        return dj_fail_memory(symbols->quiet, "the lines of loops", nest->count * sizeof *homes);
    each_instruction(symbols, module, listing, graph, nest, visit_home, homes, NULL);
    for (size_t i = nest->count; i-- > 0;) {
        uint32_t parent = nest->loops[i].parent;
        if (parent && homes[i].unit)
            join_home(&homes[parent - 1], homes[i].unit, homes[i].scope);
    }
    each_instruction(symbols, module, listing, graph, nest, visit_line, homes, out);
    free(homes);
    return DJ_OK;
}
