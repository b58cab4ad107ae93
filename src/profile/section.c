// SPDX-License-Identifier: MIT
// The registry of sections, and the sections of a profile.
#include <deja/profile.h>

#include <stdlib.h>
#include <string.h>

#include "profile/fields.h"

enum { REGISTERED_MOST = 64 };

// In the order of JSON.
static const dj_section_ops *const builtin[] = {
    &dj_section_header,      &dj_section_traffic,   &dj_section_sizes,     &dj_section_lane,
    &dj_section_fingerprint, &dj_section_digest,    &dj_section_histogram, &dj_section_time,
    &dj_section_bytes,       &dj_section_keys,      &dj_section_strides,   &dj_section_simulated,
    &dj_section_partitions,  &dj_section_windows,   &dj_section_joint,     &dj_section_attribution,
    &dj_section_spatial,     &dj_section_sharing,   &dj_section_sample,    &dj_section_tracing,
    &dj_section_elements,    &dj_section_hierarchy, &dj_section_tlb,
};
enum { BUILTIN = sizeof builtin / sizeof *builtin };

static const dj_section_ops *registered[REGISTERED_MOST];
static size_t registered_count;

size_t dj_section_count(void)
{
    return BUILTIN + registered_count;
}

const dj_section_ops *dj_section_get(size_t index)
{
    if (index < BUILTIN)
        return builtin[index];
    return index < dj_section_count() ? registered[index - BUILTIN] : NULL;
}

const dj_section_ops *dj_section_find(const char *name)
{
    for (size_t i = 0; i < dj_section_count(); i++)
        if (strcmp(dj_section_get(i)->name, name) == 0)
            return dj_section_get(i);
    return NULL;
}

int dj_section_register(dj_context *context, const dj_section_ops *ops)
{
    const dj_section_ops *known = dj_section_find(ops->name);
    if (known == ops)
        return DJ_OK;
    if (known)
        return dj_fail(context, DJ_ERR_USAGE, "section '%s' is already registered", ops->name);
    if (registered_count == REGISTERED_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "section '%s': at most %d sections can be registered",
                       ops->name, REGISTERED_MOST);
    registered[registered_count++] = ops;
    return DJ_OK;
}

static dj_section *find(const dj_section_list *list, const dj_section_ops *ops)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].ops == ops)
            return &list->items[i];
    return NULL;
}

static void free_value(const dj_section_ops *ops, void *value)
{
    if (!value)
        return;
    if (ops->free)
        ops->free(value);
    dj_fields_free(ops->table.fields, value);
    free(value);
}

static int give(dj_context *context, dj_section_list *list, const dj_section_ops *ops, void *value)
{
    dj_section *known = find(list, ops);
    if (known) {
        free_value(ops, known->value);
        known->value = value;
        return DJ_OK;
    }
    dj_section *larger = reallocarray(list->items, list->count + 1, sizeof *larger);
    if (!larger) {
        free_value(ops, value);
        return dj_fail_memory(context, "a profile", 0);
    }
    list->items = larger;
    larger[list->count++] = (dj_section){ops, value};
    return DJ_OK;
}

static int add(dj_context *context, dj_section_list *list, const dj_section_ops *ops, void **out)
{
    dj_section *known = find(list, ops);
    *out = known ? known->value : calloc(1, ops->table.bytes);
    if (!*out)
        return dj_fail_memory(context, "a profile", ops->table.bytes);
    return known ? DJ_OK : give(context, list, ops, *out);
}

static void drop(dj_section_list *list, const dj_section_ops *ops)
{
    dj_section *known = find(list, ops);
    if (!known)
        return;
    free_value(ops, known->value);
    size_t after = (size_t)(list->items + --list->count - known);
    memmove(known, known + 1, after * sizeof *known);
}

void dj_section_list_free(dj_section_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_value(list->items[i].ops, list->items[i].value);
    free(list->items);
    *list = (dj_section_list){NULL, 0};
}

static void *value_of(const dj_section_list *list, const dj_section_ops *ops)
{
    const dj_section *known = find(list, ops);
    return known ? known->value : NULL;
}

void *dj_profile_section(const dj_profile *profile, const dj_section_ops *ops)
{
    return ops->table.bytes == 0 ? (void *)profile : value_of(&profile->sections, ops);
}

void *dj_lane_section(const dj_lane_profile *lane, const dj_section_ops *ops)
{
    return ops->table.bytes == 0 ? (void *)lane : value_of(&lane->sections, ops);
}

int dj_profile_add_section(dj_context *context, dj_profile *profile, const dj_section_ops *ops, void *out)
{
    *(void **)out = profile;
    return ops->table.bytes == 0 ? DJ_OK : add(context, &profile->sections, ops, out);
}

int dj_lane_add_section(dj_context *context, dj_lane_profile *lane, const dj_section_ops *ops, void *out)
{
    *(void **)out = lane;
    return ops->table.bytes == 0 ? DJ_OK : add(context, &lane->sections, ops, out);
}

int dj_profile_give_section(dj_context *context, dj_profile *profile, const dj_section_ops *ops, void *value)
{
    return give(context, &profile->sections, ops, value);
}

int dj_lane_give_section(dj_context *context, dj_lane_profile *lane, const dj_section_ops *ops, void *value)
{
    return give(context, &lane->sections, ops, value);
}

void dj_profile_drop_section(dj_profile *profile, const dj_section_ops *ops)
{
    drop(&profile->sections, ops);
}

void dj_lane_drop_section(dj_lane_profile *lane, const dj_section_ops *ops)
{
    drop(&lane->sections, ops);
}
