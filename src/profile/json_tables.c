// SPDX-License-Identifier: MIT
#include "profile/json_tables.h"

const char *const dj_object_kinds[] = {
    [DJ_OBJECT_UNKNOWN] = "unknown", [DJ_OBJECT_GLOBAL] = "global", [DJ_OBJECT_LOCAL] = "local",
    [DJ_OBJECT_FRAME] = "frame",     [DJ_OBJECT_HEAP] = "heap",     [DJ_OBJECT_MAPPED] = "mapped",
    [DJ_OBJECT_MODULE] = "module",   [DJ_OBJECT_MODULE + 1] = NULL,
};

#define CELL(row, type, member)                                                                              \
    {                                                                                                        \
#member, offsetof(row, member), DJ_CELL_##type, DJ_TABLE_COUNT                                       \
    }
#define INDEX(row, member, table)                                                                            \
    {                                                                                                        \
#member, offsetof(row, member), DJ_CELL_INDEX, DJ_TABLE_##table                                      \
    }
#define OPTIONAL(row, member, table)                                                                         \
    {                                                                                                        \
#member, offsetof(row, member), DJ_CELL_OPTIONAL, DJ_TABLE_##table                                   \
    }
#define END                                                                                                  \
    {                                                                                                        \
        NULL, 0, DJ_CELL_U32, DJ_TABLE_COUNT                                                                 \
    }

static const dj_cell edge_cells[] = {{"edge", 0, DJ_CELL_U64, DJ_TABLE_COUNT}, END};
static const dj_cell file_cells[] = {{"name", 0, DJ_CELL_TEXT, DJ_TABLE_COUNT}, END};

static const dj_cell cut_cells[] = {
    CELL(dj_cut, TEXT, name),
    CELL(dj_cut, U64, blocks),
    END,
};

static const dj_cell module_cells[] = {
    CELL(dj_module_row, TEXT, path),
    CELL(dj_module_row, BOOL, has_lines),
    CELL(dj_module_row, BOOL, has_types),
    END,
};

static const dj_cell function_cells[] = {
    CELL(dj_function_row, TEXT, name),
    OPTIONAL(dj_function_row, module, MODULES),
    OPTIONAL(dj_function_row, file, FILES),
    CELL(dj_function_row, U32, line),
    END,
};

static const dj_cell loop_cells[] = {
    INDEX(dj_loop_row, function, FUNCTIONS), OPTIONAL(dj_loop_row, parent, LOOPS),
    CELL(dj_loop_row, U32, depth),           OPTIONAL(dj_loop_row, file, FILES),
    CELL(dj_loop_row, U32, first_line),      CELL(dj_loop_row, U32, last_line),
    CELL(dj_loop_row, LATER, iterations),    END,
};

static const dj_cell inlined_cells[] = {
    INDEX(dj_inlined_row, function, FUNCTIONS),
    OPTIONAL(dj_inlined_row, file, FILES),
    CELL(dj_inlined_row, U32, line),
    OPTIONAL(dj_inlined_row, inlined, INLINED),
    END,
};

static const dj_cell site_cells[] = {
    OPTIONAL(dj_site_row, module, MODULES),
    CELL(dj_site_row, U64, offset),
    OPTIONAL(dj_site_row, function, FUNCTIONS),
    OPTIONAL(dj_site_row, file, FILES),
    CELL(dj_site_row, U32, line),
    OPTIONAL(dj_site_row, loop, LOOPS),
    OPTIONAL(dj_site_row, inlined, INLINED),
    CELL(dj_site_row, SKETCH, sketch),
    END,
};

static const dj_cell thread_cells[] = {
    CELL(dj_thread_row, U64, id),
    CELL(dj_thread_row, TEXT, name),
    CELL(dj_thread_row, U64, distinct),
    END,
};

static const dj_cell context_cells[] = {
    OPTIONAL(dj_context_row, parent, CONTEXTS),    INDEX(dj_context_row, thread, THREADS),
    OPTIONAL(dj_context_row, function, FUNCTIONS), OPTIONAL(dj_context_row, call_site, SITES),
    CELL(dj_context_row, BOOL, recursive),         CELL(dj_context_row, U64, calls),
    CELL(dj_context_row, SKETCH, sketch),          END,
};

static const dj_cell object_cells[] = {
    CELL(dj_object_row, TEXT, name),    CELL(dj_object_row, TEXT, type),
    CELL(dj_object_row, KIND, kind),    OPTIONAL(dj_object_row, file, FILES),
    CELL(dj_object_row, U32, line),     OPTIONAL(dj_object_row, context, CONTEXTS),
    CELL(dj_object_row, U64, bytes),    CELL(dj_object_row, U64, blocks),
    CELL(dj_object_row, U64, distinct), END,
};

static const dj_cell place_cells[] = {
    INDEX(dj_place_row, site, SITES),
    INDEX(dj_place_row, context, CONTEXTS),
    INDEX(dj_place_row, object, OBJECTS),
    CELL(dj_place_row, TEXT, element),
    CELL(dj_place_row, TEXT, example),
    CELL(dj_place_row, TALLY, tally),
    END,
};

static const dj_cell pair_cells[] = {
    INDEX(dj_pair_row, from, PLACES),
    INDEX(dj_pair_row, to, PLACES),
    CELL(dj_pair_row, TALLY, tally),
    END,
};

#define TABLE(list, count, row, cells)                                                                       \
    {                                                                                                        \
#list, offsetof(dj_attribution, list), offsetof(dj_attribution, count), sizeof(row), cells           \
    }

const dj_cells dj_tables[DJ_TABLE_COUNT] = {
    [DJ_TABLE_EDGES] = TABLE(edges, edge_count, uint64_t, edge_cells),
    [DJ_TABLE_CUTS] = TABLE(cuts, cut_count, dj_cut, cut_cells),
    [DJ_TABLE_FILES] = TABLE(files, file_count, char *, file_cells),
    [DJ_TABLE_MODULES] = TABLE(modules, module_count, dj_module_row, module_cells),
    [DJ_TABLE_FUNCTIONS] = TABLE(functions, function_count, dj_function_row, function_cells),
    [DJ_TABLE_LOOPS] = TABLE(loops, loop_count, dj_loop_row, loop_cells),
    [DJ_TABLE_INLINED] = TABLE(inlined, inlined_count, dj_inlined_row, inlined_cells),
    [DJ_TABLE_SITES] = TABLE(sites, site_count, dj_site_row, site_cells),
    [DJ_TABLE_THREADS] = TABLE(threads, thread_count, dj_thread_row, thread_cells),
    [DJ_TABLE_CONTEXTS] = TABLE(contexts, context_count, dj_context_row, context_cells),
    [DJ_TABLE_OBJECTS] = TABLE(objects, object_count, dj_object_row, object_cells),
    [DJ_TABLE_PLACES] = TABLE(places, place_count, dj_place_row, place_cells),
    [DJ_TABLE_PAIRS] = TABLE(pairs, pair_count, dj_pair_row, pair_cells),
};
