// SPDX-License-Identifier: MIT
// The types of a module's variables, read from DWARF on first use and kept. In hostile files a type may be
// incomplete or absurd: then it is DJ_TYPE_UNKNOWN or has no size. Traversals of types are bounded in depth
// and work.
#ifndef DEJA_SYMBOLS_TYPE_TYPE_H
#define DEJA_SYMBOLS_TYPE_TYPE_H

#include <elfutils/libdw.h>

#include "base/arena.h"
#include "base/map.h"
#include "symbols/string_builder.h"

enum dj_type_kind {
    DJ_TYPE_UNKNOWN,
    DJ_TYPE_SCALAR,
    DJ_TYPE_POINTER,
    DJ_TYPE_ARRAY,
    DJ_TYPE_RECORD,     // consecutive members
    DJ_TYPE_UNION,      // overlapping members
    DJ_TYPE_DESCRIPTOR, // of an allocatable or pointer array of Fortran; the data is elsewhere
};

enum { DJ_TYPE_DEPTH_MOST = 64 };

typedef struct dj_type dj_type;

typedef struct dj_dimension {
    int64_t lower;
    uint64_t count;  // 0: unknown
    uint64_t stride; // bytes from one index to the next
} dj_dimension;

typedef struct dj_member {
    const char *name; // "" for a base class or an unnamed part: its members are named without it
    uint64_t bit, bits;
    bool bit_field;
    dj_type *type;
} dj_member;

struct dj_type {
    enum dj_type_kind kind;
    bool fortran;
    bool expanded;  // members have been read
    uint64_t bytes; // 0: unknown
    dj_type *element;
    dj_dimension *dimensions; // in the order of the source
    size_t dimension_count;
    dj_member *members;
    size_t member_count;
    Dwarf_Die die;
};

typedef struct dj_types {
    dj_arena arena;
    dj_map map; // address of a DIE → dj_type
    dj_footprint footprint;
    dj_context *scratch; // for errors that only leave a type unknown
    dj_type unknown;
    unsigned depth;
} dj_types;

// `types` must not move until it is destroyed.
int dj_types_create(dj_types *types, dj_context *context);
void dj_types_destroy(dj_types *types); // a zeroed structure is allowed

// The type of a type DIE; never NULL. Without typedefs and qualifiers.
dj_type *dj_type_of(dj_types *types, Dwarf_Die *type);
// The type of a DIE with a DW_AT_type, or whose origin or declaration has one.
dj_type *dj_type_of_typed(dj_types *types, Dwarf_Die *typed);
// What a pointer points to, or the elements of a descriptor; an unknown type for void.
dj_type *dj_type_pointee(dj_types *types, dj_type *type);

// Reads the members of a record or union on first use.
void dj_type_expand(dj_types *types, dj_type *type);

// Writes the name of `bytes` bytes at byte `offset` of a value of that type (see dj_symbols_element), and
// returns the type of that part; never NULL.
dj_type *dj_type_element(dj_types *types, dj_type *type, uint64_t offset, uint64_t bytes, bool any_index,
                         dj_string_builder *builder);

// Writes the name of a type in the notation of the language: "double [100][200]", "struct particle *",
// "real(kind=8) (0:9,20)".
void dj_type_write(dj_types *types, Dwarf_Die *type, dj_string_builder *builder);
// The same for a DIE with a type; writes nothing if it has none.
void dj_type_write_typed(dj_types *types, Dwarf_Die *typed, dj_string_builder *builder);

#endif
