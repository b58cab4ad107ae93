// SPDX-License-Identifier: MIT
// Idea:  The time of the last access to a key is in an array indexed by the key, divided into pages so
//        that only the parts in use are allocated; a directory maps page numbers to pages. Nearby keys
//        (array elements, memory blocks) share a page, recently used pages are found without a search,
//        and a key takes 4 bytes, so sequential accesses of the program are sequential here, too.
//        Everything else is shared with engine fast: runs, the timeline, and its compaction (fast.h).
// Paper: the shadow data of Ding and Zhong, "Reuse distance analysis", University of Rochester,
//        UR-CS-TR-741, 2001, section 2.4.
// Cost:  O(log keys) per access with base 16, like engine fast. 6 to 8 bytes per key if keys are dense,
//        4 to 6 more with tags, 8 to 12 with times; an isolated key takes a page and its entry, 280 to
//        430 bytes.
// Bound: exact; at most 2^32 slots, which is pages times keys per page.
#include "engine/shadow/shadow.h"

#include "engine/registry.h"

#include <stdlib.h>

typedef struct shadow_options {
    uint64_t page;
} shadow_options;

static const shadow_options default_options = {.page = 64};

enum { LEAST_PAGE = 16, MOST_PAGE = 4096, POINTS = 8 };

static const dj_option option_table[] = {
    {.name = "shadow-page",
     .type = DJ_OPTION_UINT,
     .offset = offsetof(shadow_options, page),
     .argument = "N",
     .help = "keys per page of engine shadow, a power of two from 16 to 4096 (default 64)"},
    {0},
};

static int shadow_create(dj_context *context, const dj_engine_params *params, void **state)
{
    const shadow_options *options = params->options ? params->options : &default_options;
    int err = dj_engine_check(context, &dj_engine_shadow, params);
    if (err != DJ_OK)
        return err;
    if (options->page < LEAST_PAGE || options->page > MOST_PAGE || (options->page & (options->page - 1)) != 0)
        return dj_fail(context, DJ_ERR_USAGE, "--shadow-page %llu: must be a power of two from %d to %d",
                       (unsigned long long)options->page, LEAST_PAGE, MOST_PAGE);
    dj_shadow *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "engine shadow", sizeof *s);
    s->fast.path = dj_fast_widest_path();
    s->fast.store = &dj_shadow_store;
    s->fast.finder = &dj_shadow_finder;
    s->fast.points_per_key = POINTS;
    s->page_bits = (uint32_t)__builtin_ctzll(options->page);
    err = dj_fast_prepare(&s->fast, context, params, sizeof *s);
    if (err == DJ_OK)
        err = dj_shadow_pages_create(s, context, params->expected_keys);
    if (err != DJ_OK) {
        dj_fast_destroy(s);
        return err;
    }
    *state = s;
    return DJ_OK;
}

const dj_engine_ops dj_engine_shadow = {
    .name = "shadow",
    .summary = "like fast, with a paged array instead of the hash table",
    .cost = "O(log keys) per access; 6 to 8 bytes per key if keys are dense, up to 430 if they are isolated",
    .can = DJ_CAN_EXACT | DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_SUMMARY,
    .folds = true,
    .coarser = DJ_FAST_COARSER,
    .options = option_table,
    .options_bytes = sizeof(shadow_options),
    .default_options = &default_options,
    .create = shadow_create,
    .destroy = dj_fast_destroy,
    .push = dj_fast_push,
    .pull = dj_work_pull_at_once,
    .drain = dj_work_drain_at_once,
    .order = dj_fast_order,
    .stats = dj_fast_stats,
};
