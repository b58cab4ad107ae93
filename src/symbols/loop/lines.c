// SPDX-License-Identifier: MIT
// The source lines of loops: in the innermost function, inlined or not, that contains all jumps of the
// loop, from the lowest to the highest line of its instructions there. An instruction of a function inlined
// further inside counts with the line of the call. Instructions other than jumps do not decide, since
// compilers move them from one function into loops of another, unless most of the loop would be excluded.
#include <stdlib.h>

#include "symbols/loop/loop.h"

// The function that contains the instructions of a loop seen so far.
typedef struct home {
    const dj_unit *unit;      // NULL: none seen yet
    uint32_t scope;           // DJ_NO_SCOPE: no function is known
    uint32_t inside, outside; // instructions of the loop itself, inside and outside of that function
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
        *into = (home){.unit = unit, .scope = scope};
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
    const dj_scope *function = at->scope == DJ_NO_SCOPE ? NULL : &at->unit->scopes[at->scope];
    if (!lines->file) {
        lines->file = function ? function->source_file : file;
        lines->inlined = function && function->inlined ? function->name : NULL;
    }
    if (file != lines->file || line == 0)
        return;
    if (lines->first == 0 || line < lines->first)
        lines->first = line;
    if (line > lines->last)
        lines->last = line;
}

// What is known about an instruction in a loop.
typedef struct fact {
    const dj_unit *unit;
    const dj_line_row *row;
    uint32_t scope, loop;
    bool opening; // its line is the first line of its function
    bool jump;
} fact;

// Instructions that gcc invents, such as pointer increments, get the line of the function's opening brace.
static bool is_opening(const dj_unit *unit, uint32_t scope, const dj_line_row *row)
{
    if (scope == DJ_NO_SCOPE || unit->scopes[scope].inlined)
        return false;
    const dj_line_row *first = dj_unit_row(unit, unit->scopes[scope].entry);
    return first && (int64_t)first->line + first->to_first == row->line && first->file == row->file;
}

static size_t gather_facts(dj_symbols *symbols, dj_module *module, const dj_listing *listing,
                           const dj_graph *graph, fact *facts)
{
    uint32_t block = 0;
    size_t count = 0;
    for (size_t i = 0; i < listing->count; i++) {
        uint64_t address = listing->rows[i].address;
        while (graph->blocks[block].hi <= address)
            block++;
        uint32_t loop = graph->blocks[block].loop;
        const dj_unit *unit = loop ? dj_line_tables_unit(symbols, module, address) : NULL;
        const dj_line_row *row = unit ? dj_unit_row(unit, address) : NULL;
        const dj_range *part = row ? dj_ranges_find(&module->code->functions, address) : NULL;
        // A part that was moved away may start without a row; the row before it belongs to another
        // function.
        if (!part || row->line == 0 || row->address < part->lo)
            continue;
        uint32_t scope = scope_index(unit, address);
        facts[count++] =
            (fact){unit,
                   row,
                   scope,
                   loop,
                   is_opening(unit, scope, row),
                   listing->rows[i].flow == DJ_FLOW_BRANCH || listing->rows[i].flow == DJ_FLOW_JUMP};
    }
    return count;
}

static bool is_within(const home *at, const fact *what)
{
    uint32_t scope = what->unit == at->unit ? what->scope : DJ_NO_SCOPE;
    while (scope != at->scope && scope != DJ_NO_SCOPE)
        scope = at->unit->scopes[scope].parent;
    return what->unit == at->unit && scope == at->scope;
}

static void find_homes(const fact *facts, size_t count, const dj_loop_nest *nest, bool with_opening,
                       home *homes)
{
    for (size_t i = 0; i < nest->count; i++)
        homes[i] = (home){0};
    for (size_t i = 0; i < count; i++)
        if (facts[i].jump && (with_opening || !facts[i].opening))
            join_home(&homes[facts[i].loop - 1], facts[i].unit, facts[i].scope);
    for (size_t i = 0; i < count; i++) {
        home *at = &homes[facts[i].loop - 1];
        *(is_within(at, &facts[i]) ? &at->inside : &at->outside) += 1;
    }
    for (size_t i = 0; i < count; i++) {
        home *at = &homes[facts[i].loop - 1];
        if (at->inside <= at->outside && (with_opening || !facts[i].opening))
            join_home(at, facts[i].unit, facts[i].scope);
    }
    for (size_t i = nest->count; i-- > 0;)
        if (nest->loops[i].parent && homes[i].unit)
            join_home(&homes[nest->loops[i].parent - 1], homes[i].unit, homes[i].scope);
}

// Finds the lines of the loops that have none yet.
static void find_lines(const fact *facts, size_t count, const dj_loop_nest *nest, bool with_opening,
                       home *homes, dj_loop_lines *lines)
{
    find_homes(facts, count, nest, with_opening, homes);
    for (size_t i = 0; i < nest->count; i++)
        if (lines[i].first > 0)
            homes[i].unit = NULL;
    for (size_t i = 0; i < count; i++) {
        const fact *at = &facts[i];
        if (at->opening && !with_opening)
            continue;
        for (uint32_t loop = at->loop; loop; loop = nest->loops[loop - 1].parent)
            if (homes[loop - 1].unit == at->unit)
                count_line(&lines[loop - 1], &homes[loop - 1], at->scope, at->row);
    }
}

int dj_loop_lines_read(dj_symbols *symbols, dj_module *module, const dj_listing *listing,
                       const dj_graph *graph, const dj_loop_nest *nest, dj_loop_lines *out)
{
    home *homes = calloc(nest->count, sizeof *homes);
    fact *facts = calloc(listing->count, sizeof *facts);
    int err = homes && facts ? DJ_OK : dj_fail_memory(symbols->quiet, "the lines of loops", 0);
    if (err == DJ_OK) {
        size_t count = gather_facts(symbols, module, listing, graph, facts);
        find_lines(facts, count, nest, false, homes, out);
        find_lines(facts, count, nest, true, homes, out); // a function on one line
    }
    free(facts);
    free(homes);
    return err;
}
