// SPDX-License-Identifier: MIT
// Values of DWARF attributes, read with care: forms of a fixed size are unsigned whatever libdw assumes,
// and an expression is not a number.
#ifndef DEJA_SYMBOLS_DWARF_VALUE_H
#define DEJA_SYMBOLS_DWARF_VALUE_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <deja/error.h>

// A constant; false if the attribute is missing or not a constant.
bool dj_dwarf_constant(Dwarf_Die *die, unsigned attribute, int64_t *value);
// As above, for values that cannot be negative.
bool dj_dwarf_size(Dwarf_Die *die, unsigned attribute, uint64_t *value);
bool dj_dwarf_flag(Dwarf_Die *die, unsigned attribute);
// The DIE that an attribute refers to, also via origin or declaration.
bool dj_dwarf_reference(Dwarf_Die *die, unsigned attribute, Dwarf_Die *target);
// Whether the language of the unit is Fortran.
bool dj_dwarf_is_fortran(Dwarf_Die *die);
// Whether the language writes `struct` and `union` before type names.
bool dj_dwarf_is_c(Dwarf_Die *die);

#endif
