// SPDX-License-Identifier: MIT
#include "profile/fields.h"

void dj_fields_free(const dj_field *fields, void *value)
{
    (void)fields;
    (void)value;
}
