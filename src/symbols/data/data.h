// SPDX-License-Identifier: MIT
// Internals of data symbols: what is kept for a module.
#ifndef DEJA_SYMBOLS_DATA_DATA_H
#define DEJA_SYMBOLS_DATA_DATA_H

#include "symbols/module/module.h"
#include "symbols/type/type.h"

// A row of symbols->variables.
typedef struct dj_variable {
    dj_variable_info info;
    struct dj_data *data;
    dj_type *type;
    uint64_t skip; // bytes of the variable before its extent, if another variable hides them
    uint32_t part; // number of another part of the same local; 0: none
    bool block;    // a heap block: any number of values of `type`
    uint64_t lead; // bytes of the block before the first value
    bool inlined;  // a local of an inlined function
} dj_variable;

// A variable with static storage, by addresses of the ELF file.
typedef struct dj_global {
    uint64_t lo, hi, skip;
    Dwarf_Die die;      // addr is NULL: there is only a symbol
    const char *symbol; // its name
    uint32_t scope;     // number in dj_data.scopes, 0: none
    uint32_t variable;  // 0: no number yet
} dj_global;

// The scope of a variable with static storage.
typedef struct dj_outer {
    Dwarf_Die die;
    uint32_t parent; // number, smaller than its own; 0: none
} dj_outer;

typedef struct dj_object_symbol {
    uint64_t lo, bytes;
    const char *name;
} dj_object_symbol;

// A part of the code of a function that DWARF describes.
typedef struct dj_subprogram {
    uint64_t lo, hi;
    Dwarf_Die die;
} dj_subprogram;

enum { DJ_REGISTER_CFA = -1, DJ_REGISTER_NONE = -2 };

// A place in memory relative to a register (its DWARF number) or to the
// canonical frame address.
typedef struct dj_place_by_register {
    int reg;
    int64_t offset;
} dj_place_by_register;

typedef struct dj_locals dj_locals;

typedef struct dj_data {
    dj_symbols *symbols;
    dj_module *module;
    Dwarf *dwarf;          // NULL: none
    Dwarf_CFI *cfi;        // NULL: none
    uint64_t entries_left; // DWARF entries that may still be visited: no well-formed file needs more
    dj_types types;
    dj_footprint footprint;
    dj_global *globals; // sorted, not overlapping
    size_t global_count, global_capacity;
    dj_outer *scopes; // numbers from 1 on
    size_t scope_count, scope_capacity;
    dj_object_symbol *objects; // sorted
    size_t object_count, object_capacity;
    dj_subprogram *subprograms; // sorted by lo
    size_t subprogram_count, subprogram_capacity;
    dj_map locals;    // address of a subprogram DIE → dj_locals
    bool frame_known; // the latest answer of the unwind tables
    uint64_t frame_pc;
    uint64_t frame_lo, frame_hi; // where it is valid
    dj_place_by_register frame;  // the canonical frame address there
    dj_map pointers;             // offset after an allocation → variable number + 1
} dj_data;

// NULL if the module cannot be read.
dj_data *dj_data_get(dj_symbols *symbols, uint32_t id);

// Ensures capacity for one more element in *array; false if out of memory.
bool dj_data_reserve(dj_data *data, void *array, size_t count, size_t *capacity, size_t element_bytes);

// Fills subprograms and globals from DWARF; globals are unsorted.
void dj_data_walk(dj_data *data);
// Fills objects from the symbol table.
void dj_data_read_objects(dj_data *data);
// Sorts globals, adds those that only the symbol table has, and separates overlapping ones.
void dj_data_order_globals(dj_data *data);
// The symbol that starts at an address, or NULL.
const dj_object_symbol *dj_data_object_at(const dj_data *data, uint64_t address);
// The entry that contains an address, or NULL and then the number of entries before it.
dj_global *dj_data_global_at(const dj_data *data, uint64_t address, size_t *before);
// The subprogram that contains an address, or NULL.
const dj_subprogram *dj_data_subprogram_at(const dj_data *data, uint64_t address);

// --- variables --------------------------------------------------------------

// Adds a row for the variable of a DIE; the caller sets what it knows better. 0: out of memory.
uint32_t dj_variable_add(dj_data *data, Dwarf_Die *die, uint32_t scope, dj_variable **out);
// Its number, assigned on first use; 0: out of memory.
uint32_t dj_variable_of_global(dj_data *data, dj_global *global);

// The name in the notation of the language: "grid", "space::Class::member", "module::x", "/block/ x".
void dj_variable_name(const dj_data *data, Dwarf_Die *die, uint32_t scope, dj_string_builder *builder);
// The subprogram around a scope; false if there is none.
bool dj_variable_owner(const dj_data *data, uint32_t scope, Dwarf_Die *owner);
// The address of a variable with static storage.
bool dj_variable_address(Dwarf_Die *die, uint64_t *address);

// --- stack ------------------------------------------------------------------

// `by` as an offset from the canonical frame address at `pc` (an ELF address).
bool dj_frame_offset(dj_data *data, uint64_t pc, dj_place_by_register by, int64_t *offset);

typedef struct dj_local_place {
    uint64_t lo, hi;  // code for which it is valid; 0, UINT64_MAX: its entire scope
    bool in_register; // the value is in register by.reg, not in memory
    dj_place_by_register by;
} dj_local_place;

typedef struct dj_block_scope {
    size_t parent; // index; the first scope is its own
    unsigned depth;
    bool inlined;                    // in an inlined function
    size_t first_range, range_count; // none: that of its parent
} dj_block_scope;

typedef struct dj_local {
    Dwarf_Die die;
    size_t scope;
    size_t first_place, place_count;
    uint64_t bytes;
    uint32_t variable; // 0: no number yet
    uint32_t part;     // number of one of its parts that begin later; 0: none yet
} dj_local;

struct dj_locals {
    dj_block_scope *scopes;
    size_t scope_count, scope_capacity;
    uint64_t (*ranges)[2];
    size_t range_count, range_capacity;
    dj_local_place *places;
    size_t place_count, place_capacity;
    dj_local *list;
    size_t count, capacity;
};

// The local variables of a subprogram, read on first use; NULL: none.
dj_locals *dj_locals_get(dj_data *data, const dj_subprogram *subprogram);
void dj_locals_free(dj_data *data, dj_locals *locals);
bool dj_locals_in_scope(const dj_locals *locals, size_t scope, uint64_t pc);
// The place of a local that is valid at `pc`; NULL: none.
const dj_local_place *dj_local_place_at(const dj_locals *locals, const dj_local *local, uint64_t pc);

// Its number, assigned on first use; 0: out of memory.
uint32_t dj_local_variable(dj_data *data, const dj_locals *locals, dj_local *local, uint32_t function);

// Reads where a variable is; ignores places other than frames and registers.
void dj_locals_read_places(dj_data *data, dj_locals *locals, dj_local *local, Dwarf_Die *function);

#endif
