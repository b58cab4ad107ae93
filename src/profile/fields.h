// SPDX-License-Identifier: MIT
// What is done with values by their tables of fields.
#ifndef DEJA_PROFILE_FIELDS_H
#define DEJA_PROFILE_FIELDS_H

#include <deja/profile.h>

// Frees what the fields own, not the value itself. NULL: no fields.
void dj_fields_free(const dj_field *fields, void *value);
// Frees all sections of a list.
void dj_section_list_free(dj_section_list *list);

#endif
