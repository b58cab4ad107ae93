// SPDX-License-Identifier: MIT
// Internals of code symbols: what is kept for a module.
#ifndef DEJA_SYMBOLS_CODE_H
#define DEJA_SYMBOLS_CODE_H

#include "symbols/module/module.h"
#include "symbols/range.h"

enum dj_function_kind {
    DJ_FUNCTION_FRAME,  // known from .eh_frame only
    DJ_FUNCTION_SYMBOL, // of a symbol table
    DJ_FUNCTION_STUB,   // of the procedure linkage table
};

typedef struct dj_function_entry {
    uint64_t lo, hi;    // addresses; hi is 0 while unknown
    const char *symbol; // its linkage name, in a string table or kept; NULL: none
    uint32_t number;    // in dj_symbols.functions; 0: not requested yet
    uint8_t kind;       // enum dj_function_kind
    uint8_t binding;    // STB_GLOBAL, …
    bool typed;         // its symbol says that it is a function
    bool looped;        // its loops were searched
    bool chained;       // its chains were searched
    dj_ranges loops;    // item: number in dj_symbols.loops
    dj_ranges latches;  // blocks that jump back; item as above
    uint64_t *flow;     // as dj_symbols_flow returns it; NULL: unknown
    size_t flow_count;
    dj_ranges chains; // loads of a chain; item: enum dj_chain
} dj_function_entry;

typedef struct dj_function_entries {
    dj_function_entry *rows;
    size_t count, capacity;
} dj_function_entries;

typedef struct dj_line_tables dj_line_tables;

struct dj_module_code {
    dj_ranges regions;           // code; item: 0, or bytes of an entry of a linkage table (1: unknown)
    dj_function_entries entries; // by address
    dj_ranges functions;         // item: index of the entry
    uint32_t *cold;              // entries of parts of functions that were moved away, by name
    size_t cold_count;
    bool has_symbols;
    dj_line_tables *lines; // NULL: there are none
};

// Created on first use; NULL: out of memory, or no file.
dj_module_code *dj_module_code_get(dj_symbols *symbols, dj_module *module);
void dj_module_code_destroy(dj_module_code *code);

// --- function*.c --------------------------------------------------------------

int dj_functions_read(dj_symbols *symbols, dj_module *module, dj_module_code *code);
int dj_function_entries_add(dj_function_entries *entries, dj_context *context, dj_function_entry entry);
// Whether stubs pass through this function the first time: it finds their target and jumps there.
bool dj_function_is_resolver(dj_module *module, const dj_function_entry *entry);
int dj_functions_read_stubs(dj_symbols *symbols, dj_module *module, dj_module_code *code,
                            dj_function_entries *stubs);
int dj_functions_read_frames(dj_symbols *symbols, dj_module *module, dj_ranges *out);
// The number of an entry, by its index, assigned on first use; 0: out of memory.
uint32_t dj_function_number(dj_symbols *symbols, dj_module *module, uint32_t index);

// Visits the functions among the symbols of a module, in all relevant tables. `visit` stops it by returning
// anything but DJ_OK.
typedef int dj_symbol_visit(void *user, const char *name, const GElf_Sym *symbol);
int dj_symbols_each(dj_module *module, dj_symbol_visit *visit, void *user);
// Whether there is a symbol table with more than the exported symbols.
bool dj_module_has_table(dj_module *module);

// The readable name of a function, from its linkage name and its name in DWARF (each may be NULL).
const char *dj_function_readable(dj_symbols *symbols, const char *linkage, const char *plain);
// Whether a user who writes `name` may mean the function with that linkage name.
bool dj_function_is_called(const char *linkage, const char *name);
// Writes the demangled C++ name; false if it is not one.
bool dj_function_demangle(const char *linkage, char *text, size_t capacity);

// --- line*.c ------------------------------------------------------------------

#define DJ_NO_SCOPE UINT32_MAX

// A function, or one inlined into the scope around it.
typedef struct dj_scope {
    uint32_t parent; // index, DJ_NO_SCOPE: none
    bool inlined;
    uint32_t line, column; // of the call if inlined, otherwise of its declaration
    const char *file;
    const char *name;        // "" unknown
    const char *source_file; // where it is declared; "": unknown
    uint64_t entry;          // address of the function's entry; 0 if inlined
    bool returns_nothing;
    bool uses_registers; // for variables, as DWARF describes them
} dj_scope;

typedef struct dj_line_row {
    uint64_t address;
    const char *file; // NULL: nothing is known from here on
    uint32_t line;
    uint16_t column;
    int16_t
        to_first; // added to the line: gives that of the first row at this address, which later ones override
} dj_line_row;

// A compilation unit.
typedef struct dj_unit {
    Dwarf_Off offset; // of its DIE
    bool read, deep;
    bool unoptimized;  // and its compiler reports it
    dj_line_row *rows; // by address
    size_t row_count;
    dj_scope *scopes; // parents first
    size_t scope_count;
    dj_ranges spans; // item: index of the innermost scope
} dj_unit;

struct dj_line_tables {
    Dwarf *dwarf; // NULL: to be reopened; what libdw read through it is freed when it grows large
    uint64_t read_bytes;
    uint64_t row_budget, range_budget, entry_budget; // no well-formed file needs more
    bool has_rows;
    dj_unit *units;
    size_t unit_count, unit_capacity;
    dj_ranges spans; // item: index of the unit
};

int dj_line_tables_create(dj_symbols *symbols, dj_module *module, const dj_ranges *regions,
                          dj_line_tables **out);
void dj_line_tables_destroy(dj_line_tables *lines);
// The unit at an address, read; NULL: none.
const dj_unit *dj_line_tables_unit(dj_symbols *symbols, dj_module *module, uint64_t address);
bool dj_unit_is_unoptimized(Dwarf_Die *die);
// Whether the instruction only writes memory, and reads none.
bool dj_module_stores(const dj_module *module, uint64_t address);
int dj_unit_read_rows(dj_symbols *symbols, dj_line_tables *lines, dj_unit *unit, Dwarf_Die *die);
// `deep`: only functions that are not known yet, searched everywhere: a lambda may be within inlined code.
int dj_unit_read_scopes(dj_symbols *symbols, dj_line_tables *lines, dj_unit *unit, Dwarf_Die *die, bool deep);
// Names its scopes from `first` on; origins[i] is the entry with the name of scope first + i.
int dj_unit_name_scopes(dj_symbols *symbols, dj_line_tables *lines, dj_unit *unit, Dwarf_Die *die,
                        size_t first, Dwarf_Die *origins);
// Each NULL: unknown.
const dj_line_row *dj_unit_row(const dj_unit *unit, uint64_t address);
const dj_scope *dj_unit_scope(const dj_unit *unit, uint64_t address);
// A path as DWARF has it, prefixed by the folder if it is relative, without "/./"; "" for NULL.
const char *dj_line_path(dj_symbols *symbols, const char *folder, const char *path);

// --- loop*.c ------------------------------------------------------------------

// The number of the innermost loop at an address of the function (by the index of its entry); 0: none.
uint32_t dj_loop_at(dj_symbols *symbols, dj_module *module, uint32_t index, uint64_t address);
// How the instruction there belongs to a chain.
enum dj_chain dj_chain_at(dj_symbols *symbols, dj_module *module, uint32_t index, uint64_t address);

#endif
