// SPDX-License-Identifier: MIT
#include "model/diff/side.h"

#include <deja/tracing.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/names.h"

char *dj_diff_plain_function(const char *name)
{
    static const char *const suffixes[] = {".constprop.", ".isra.",     ".part.",
                                           ".cold",       ".lto_priv.", ".llvm."};
    char *plain = strdup(name);
    for (size_t i = 0; plain && i < sizeof suffixes / sizeof *suffixes; i++) {
        char *at = strstr(plain, suffixes[i]);
        if (at && at != plain)
            *at = 0;
    }
    return plain;
}

// "heap a (main.c:12)" is "heap a".
static char *without_position(const char *name)
{
    char *plain = strdup(name), *at = plain ? strrchr(plain, '(') : NULL;
    if (at && at > plain && at[-1] == ' ' && strchr(at, ':'))
        at[-1] = 0;
    return plain;
}

// "data of solve-2" is "data of the program" if that is its name: another version may have another one.
static char *without_program(const char *name, const char *program)
{
    const size_t length = strlen(program);
    const char *at = length > 0 ? strstr(name, program) : NULL;
    char *plain = NULL;
    while (at && ((at > name && at[-1] != ' ') || (at[length] && at[length] != ' ')))
        at = strstr(at + 1, program);
    return at && asprintf(&plain, "%.*sthe program%s", (int)(at - name), name, at + length) < 0 ? NULL
           : at                                                                                 ? plain
                : strdup(name);
}

typedef struct naming {
    const dj_attribution *a;
    const char *program;    // the file, without its folder
    dj_names names, common; // as in this run, and by which they are known in both
    enum dj_by by;
} naming;

static char *function_group(const naming *n, const dj_entity *entity)
{
    if (!(entity->function < n->a->function_count))
        return without_program(entity->name, n->program);
    return strdup(dj_names_function(&n->common, entity->function));
}

static char *object_group(const naming *n, const dj_entity *entity)
{
    char *plain = without_position(entity->name), *group = NULL;
    if (!plain || !strstr(plain, " of ")) // a variable may have the name of the program
        return plain;
    group = without_program(plain, n->program);
    free(plain);
    return group;
}

// Empty for the root of a thread, and for code before main.
static char *context_group(const naming *n, const dj_entity *entity)
{
    char *path = dj_names_path(&n->common, entity->row);
    if (!path || *path)
        return path;
    free(path);
    return strdup(entity->name);
}

static char *group_of(const naming *n, const dj_entity *entity)
{
    switch (n->by) {
    case DJ_BY_OBJECT:
        return object_group(n, entity);
    case DJ_BY_FUNCTION:
        return function_group(n, entity);
    case DJ_BY_LOOP:
    case DJ_BY_LINE:
        return entity->row == DJ_NOWHERE ? without_program(entity->name, n->program)
                                         : function_group(n, entity);
    case DJ_BY_CALLING_CONTEXT:
        return context_group(n, entity);
    default:
        return strdup(entity->name);
    }
}

// A line or loop counts from its function, which may have moved.
static uint64_t order_of(const naming *n, const dj_entity *entity)
{
    const bool inside = n->by == DJ_BY_LOOP || n->by == DJ_BY_LINE;
    if (inside && entity->function < n->a->function_count) {
        const dj_function_row *function = &n->a->functions[entity->function];
        if (function->file == entity->file && entity->line >= function->line)
            return entity->line - function->line;
    }
    if (n->by == DJ_BY_LINE && entity->line == 0 && entity->row < n->a->site_count)
        return n->a->sites[entity->row].offset;
    return entity->line;
}

static int name_item(dj_context *context, const naming *n, dj_diff_item *item)
{
    const dj_entity *entity = item->entity;
    item->name = n->by == DJ_BY_CALLING_CONTEXT ? dj_names_path(&n->names, entity->row) : strdup("");
    if (item->name && !*item->name) { // it has no path
        free(item->name);
        item->name = strdup(entity->name);
    }
    item->group = group_of(n, entity);
    item->order = order_of(n, entity);
    item->depth = entity->depth;
    item->match = SIZE_MAX;
    return item->name && item->group ? DJ_OK : dj_fail_memory(context, "a comparison", 0);
}

static double error_of(const dj_profile *profile, const dj_tally *tally, size_t cut, uint64_t count)
{
    const double value = (double)count;
    dj_row_range range;
    return dj_tally_range(profile, tally, cut, &range) ? fmax(range.high - value, value - range.low) : 0;
}

static void count_item(const dj_diff *diff, const dj_profile *profile, int run, dj_diff_item *item)
{
    const dj_tally *tally = &item->entity->exclusive;
    const size_t all = dj_profile_attribution(profile)->cut_count;
    item->accesses = tally->accesses;
    item->writes = tally->writes;
    item->errors[0] = error_of(profile, tally, all, tally->accesses);
    for (size_t c = 0; c < diff->cache_count; c++) {
        const size_t cut = diff->caches[c].cuts[run];
        item->misses[c] = item->entity->misses[cut];
        item->errors[1 + c] = error_of(profile, tally, cut, item->misses[c]);
    }
}

static void bound_unseen(const dj_diff *diff, const dj_profile *profile, int run, double *unseen)
{
    static const dj_tally none;
    unseen[0] = error_of(profile, &none, dj_profile_attribution(profile)->cut_count, 0);
    for (size_t c = 0; c < diff->cache_count; c++)
        unseen[1 + c] = error_of(profile, &none, diff->caches[c].cuts[run], 0);
}

static int by_group(const void *left, const void *right)
{
    const dj_diff_item *a = left, *b = right;
    int order = strcmp(a->group, b->group);
    if (!order)
        order = a->order < b->order ? -1 : a->order > b->order;
    return order ? order : strcmp(a->name, b->name);
}

static void free_item(dj_diff_item *item)
{
    free(item->name);
    free(item->group);
}

// Joins what has one name, such as calls of a function from two lines of another.
static void combine(const dj_diff *diff, dj_diff_side *side)
{
    size_t kept = 0;
    for (size_t i = 0; i < side->count; i++) {
        dj_diff_item *item = &side->items[i], *last = kept > 0 ? &side->items[kept - 1] : NULL;
        const bool alone = !last || by_group(last, item) != 0 || last->depth != item->depth;
        side->item_of[item->entity - side->breakdown->entities] = (uint32_t)(alone ? kept : kept - 1);
        if (alone) {
            side->items[kept++] = *item;
            continue;
        }
        last->accesses += item->accesses;
        last->writes += item->writes;
        for (size_t c = 0; c < diff->cache_count; c++)
            last->misses[c] += item->misses[c];
        for (size_t c = 0; c <= diff->cache_count; c++)
            last->errors[c] += item->errors[c];
        free_item(item);
    }
    side->count = kept;
}

// FNV-1a, of numbers.
static void fingerprint(const dj_diff *diff, dj_diff_item *item)
{
    static const uint64_t BASIS = UINT64_C(0xcbf29ce484222325), PRIME = UINT64_C(0x100000001b3);
    uint64_t sum = ((BASIS ^ item->accesses) * PRIME ^ item->writes) * PRIME;
    for (size_t c = 0; c < diff->cache_count; c++)
        sum = (sum ^ item->misses[c]) * PRIME;
    item->fingerprint = sum;
}

static int reserve(dj_context *context, const dj_diff *diff, dj_diff_side *side)
{
    const size_t count = side->breakdown->count;
    side->items = calloc(count + 1, sizeof *side->items);
    side->item_of = calloc(count + 1, sizeof *side->item_of);
    side->miss_table = calloc(count * diff->cache_count + 1, sizeof *side->miss_table);
    side->error_table = calloc(count * (diff->cache_count + 1) + 1, sizeof *side->error_table);
    side->unseen = calloc(diff->cache_count + 1, sizeof *side->unseen);
    return side->items && side->item_of && side->miss_table && side->error_table && side->unseen
               ? DJ_OK
               : dj_fail_memory(context, "a comparison", count * sizeof *side->items);
}

int dj_diff_side_create(dj_context *context, const dj_diff *diff, const dj_profile *profile, int run,
                        enum dj_by by, const char *const *aliases, dj_diff_side *out)
{
    naming n = {.a = dj_profile_attribution(profile), .program = dj_diff_program(profile), .by = by};
    *out = (dj_diff_side){0};
    int err = dj_names_create(&n.names, context, n.a);
    n.common = n.names;
    n.common.aliases = aliases;
    if (!err)
        err = dj_breakdown_create(context, n.a, by, &out->breakdown);
    if (!err)
        err = reserve(context, diff, out);
    for (size_t i = 0; !err && i < out->breakdown->count; i++) {
        dj_diff_item *item = &out->items[out->count++];
        item->entity = &out->breakdown->entities[i];
        item->row = DJ_NOWHERE;
        item->misses = out->miss_table + i * diff->cache_count;
        item->errors = out->error_table + i * (diff->cache_count + 1);
        err = name_item(context, &n, item);
        if (!err)
            count_item(diff, profile, run, item);
    }
    if (!err) {
        bound_unseen(diff, profile, run, out->unseen);
        qsort(out->items, out->count, sizeof *out->items, by_group);
        combine(diff, out);
        for (size_t i = 0; i < out->count; i++)
            fingerprint(diff, &out->items[i]);
    }
    dj_names_destroy(&n.names);
    return err;
}

void dj_diff_side_free(dj_diff_side *side)
{
    for (size_t i = 0; i < side->count; i++)
        free_item(&side->items[i]);
    free(side->items);
    free(side->item_of);
    free(side->miss_table);
    free(side->error_table);
    free(side->unseen);
    dj_breakdown_destroy(side->breakdown);
    *side = (dj_diff_side){0};
}
