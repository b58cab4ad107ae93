// SPDX-License-Identifier: MIT
// The types of a module's variables, made from DWARF when they are first asked
// for and kept. A type may be incomplete or absurd in hostile files: then it is
// DJ_TYPE_UNKNOWN or has no size. Walks over types are bounded in depth and work.
#ifndef DEJA_SYMBOLS_TYPE_TYPE_H
#define DEJA_SYMBOLS_TYPE_TYPE_H

#include <elfutils/libdw.h>

#include "base/arena.h"
#include "base/map.h"
#include "symbols/phrase.h"

enum dj_type_kind {
    DJ_TYPE_UNKNOWN,
    DJ_TYPE_SCALAR,
    DJ_TYPE_POINTER,
    DJ_TYPE_ARRAY,
    DJ_TYPE_RECORD,     // members one after another
    DJ_TYPE_UNION,      // members at the same place
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
    const char *name; // "" for a base class or a nameless part: its members are named without it
    uint64_t bit, bits;
    bool bit_field;
    dj_type *type;
} dj_member;

struct dj_type {
    enum dj_type_kind kind;
    bool fortran;
    bool expanded;  // members are there
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
    dj_context *scratch; // for errors that only mean that a type stays unknown
    dj_type unknown;
    unsigned depth;
} dj_types;

// `types` must stay where it is until it is destroyed.
int dj_types_create(dj_types *types, dj_context *context);
void dj_types_destroy(dj_types *types); // one that is all zero is fine

// The type of a type DIE; never NULL. Without typedefs and qualifiers.
dj_type *dj_type_of(dj_types *types, Dwarf_Die *type);
// The type of what has a DW_AT_type, or whose origin or declaration has one.
dj_type *dj_type_of_typed(dj_types *types, Dwarf_Die *typed);
// What a pointer points to, or the elements that a descriptor describes; an
// unknown type for void.
dj_type *dj_type_pointee(dj_types *types, dj_type *type);

// The members of a record or union, read when first asked for.
void dj_type_expand(dj_types *types, dj_type *type);

// Writes what `bytes` bytes at byte `offset` of a value of that type are
// called (see dj_symbols_element), and returns the type of that part; never NULL.
dj_type *dj_type_element(dj_types *types, dj_type *type, uint64_t offset, uint64_t bytes, bool any_index,
                         dj_phrase *phrase);

// Writes the name of a type as the language has it: "double [100][200]",
// "struct particle *", "real(kind=8) (0:9,20)".
void dj_type_write(dj_types *types, Dwarf_Die *type, dj_phrase *phrase);
// That of what has a type; nothing when it has none.
void dj_type_write_typed(dj_types *types, Dwarf_Die *typed, dj_phrase *phrase);

#endif
