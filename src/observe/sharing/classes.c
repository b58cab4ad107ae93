// SPDX-License-Identifier: MIT
#include "observe/sharing/classes.h"

#include <stdlib.h>

enum { SHARERS_MOST = 64 };

// Adds the blocks to their sharers.
static void count_blocks(const dj_directory *d, dj_sharing *to)
{
    for (size_t i = 1; i < d->count; i++) {
        const bool shared = d->users[i].next != i;
        dj_sharer_profile *sharer = &to->sharers[d->users[i].sharer];
        sharer->blocks++;
        sharer->shared += shared;
        sharer->shared_accesses += shared ? d->users[i].accesses : 0;
    }
}

static int by_blocks(const void *a, const void *b)
{
    const dj_sharing_class *x = a, *y = b;
    if (x->blocks != y->blocks)
        return x->blocks < y->blocks ? 1 : -1;
    return (x->sharers > y->sharers) - (x->sharers < y->sharers);
}

static int list_classes(const dj_map *sets, dj_context *context, dj_sharing *to)
{
    to->classes = calloc(sets->count + 1, sizeof *to->classes);
    if (!to->classes)
        return dj_fail_memory(context, "the classes of shared blocks", 0);
    for (uint64_t i = 0; i <= sets->mask; i++)
        if (sets->entries[i].value)
            to->classes[to->class_count++] = (dj_sharing_class){sets->entries[i].key, sets->entries[i].value};
    qsort(to->classes, to->class_count, sizeof *to->classes, by_blocks);
    return DJ_OK;
}

int dj_sharing_classes(const dj_directory *d, dj_context *context, dj_sharing *to)
{
    dj_map sets;
    dj_footprint footprint = {0};
    count_blocks(d, to);
    if (to->count > SHARERS_MOST)
        return DJ_OK;
    int err = dj_map_create(&sets, context, &footprint, 0);
    if (err)
        return err;
    for (uint64_t i = 0; !err && i <= d->blocks.mask; i++) {
        if (!d->blocks.entries[i].value)
            continue;
        uint64_t *blocks = dj_map_at(&sets, context, dj_directory_sharers(d, d->blocks.entries[i].value));
        if (blocks)
            ++*blocks;
        else
            err = DJ_ERR_MEMORY;
    }
    if (!err)
        err = list_classes(&sets, context, to);
    dj_map_destroy(&sets);
    return err;
}
