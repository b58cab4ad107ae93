// SPDX-License-Identifier: MIT
#include "symbols/dwarf_value.h"

static bool constant_of(Dwarf_Attribute *attribute, int64_t *value)
{
    Dwarf_Word word;
    Dwarf_Sword sword;
    switch (dwarf_whatform(attribute)) {
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_udata:
        if (dwarf_formudata(attribute, &word) != 0)
            return false;
        *value = (int64_t)word;
        return true;
    case DW_FORM_sdata:
    case DW_FORM_implicit_const:
        if (dwarf_formsdata(attribute, &sword) != 0)
            return false;
        *value = sword;
        return true;
    default:
        return false;
    }
}

bool dj_dwarf_constant(Dwarf_Die *die, unsigned attribute, int64_t *value)
{
    Dwarf_Attribute memory;
    return dwarf_attr_integrate(die, attribute, &memory) != NULL && constant_of(&memory, value);
}

bool dj_dwarf_size(Dwarf_Die *die, unsigned attribute, uint64_t *value)
{
    int64_t number;
    if (!dj_dwarf_constant(die, attribute, &number) || number < 0)
        return false;
    *value = (uint64_t)number;
    return true;
}

bool dj_dwarf_flag(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute memory;
    bool flag = false;
    return dwarf_attr(die, attribute, &memory) != NULL && dwarf_formflag(&memory, &flag) == 0 && flag;
}

bool dj_dwarf_reference(Dwarf_Die *die, unsigned attribute, Dwarf_Die *target)
{
    Dwarf_Attribute memory;
    return dwarf_attr_integrate(die, attribute, &memory) != NULL &&
           dwarf_formref_die(&memory, target) != NULL;
}

static int language_of(Dwarf_Die *die)
{
    Dwarf_Die unit;
    return dwarf_diecu(die, &unit, NULL, NULL) == NULL ? -1 : dwarf_srclang(&unit);
}

bool dj_dwarf_is_fortran(Dwarf_Die *die)
{
    switch (language_of(die)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
        return true;
    default:
        return false;
    }
}

bool dj_dwarf_is_c(Dwarf_Die *die)
{
    switch (language_of(die)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
        return true;
    default:
        return false;
    }
}
