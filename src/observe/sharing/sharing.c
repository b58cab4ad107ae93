// SPDX-License-Identifier: MIT
// What programs or threads that share caches do to each other.
#include <deja/sharing.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "observe/gathered.h"
#include "observe/observers.h"
#include "observe/sharing/classes.h"
#include "observe/sharing/places.h"

enum { WORD_BYTES = 4, WORDS_MOST = 64 };
enum { SEEK = 24, FETCH = 16, FOLLOW = 8, FETCHED = 16 }; // accesses ahead

typedef struct sharer {
    dj_sharing_counts counts;
    dj_gathered *lanes;
    uint64_t *invalidated; // by lane
} sharer;

typedef struct sharing {
    bool only_distances;
    uint32_t lane_count;
    uint32_t *widths; // sharers per cache, by lane
    uint64_t block_bytes, word_bytes;
    bool shifts;         // both are powers of two
    unsigned word_shift; // log2 of word_bytes, if so
    sharer *sharers;
    size_t count, capacity;
    dj_directory directory;
    dj_sharing_places places;
    uint16_t order[DJ_BATCH_CAPACITY]; // accesses of the batch, by sharer
    uint64_t distances[DJ_BATCH_CAPACITY];
    size_t *ends; // in `order`, by sharer
    size_t end_count;
} sharing;

static void destroy(void *state)
{
    sharing *s = state;
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        for (uint32_t lane = 0; s->sharers[i].lanes && lane < s->lane_count; lane++)
            dj_gathered_free(&s->sharers[i].lanes[lane]);
        free(s->sharers[i].lanes);
        free(s->sharers[i].invalidated);
    }
    free(s->sharers);
    free(s->widths);
    free(s->ends);
    dj_directory_free(&s->directory);
    dj_sharing_places_free(&s->places);
    free(s);
}

static int classify(void *receiver, dj_context *context, const dj_block_user *user, const dj_block_loss *loss)
{
    sharing *s = receiver;
    dj_sharing_counts *counts = &s->sharers[user->sharer].counts;
    *(user->essential ? &counts->true_sharing : &counts->false_sharing) += 1;
    return loss ? dj_sharing_places_classify(&s->places, context, user, loss) : DJ_OK;
}

static int check_setup(dj_context *context, const dj_setup *setup)
{
    const dj_sharing_options *o = setup->options;
    bool good =
        o && o->count > 0 && o->sharers_per_cache[0] == 1 && setup->lane_count == DJ_LANE_COHERENT + o->count;
    for (uint32_t i = 0; good && i < setup->lane_count; i++)
        good = setup->lanes[i].block_bytes == setup->lanes[0].block_bytes &&
               !(setup->lanes[i].filter && *setup->lanes[i].filter) &&
               (setup->partitions && setup->partitions[i]) == (i != DJ_LANE_SHARED);
    return good ? DJ_OK
                : dj_fail(context, DJ_ERR_USAGE,
                          "observer sharing needs a lane for all sharers, one for each, and coherent ones");
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const dj_sharing_options *o = setup->options;
    int err = check_setup(context, setup);
    if (err)
        return err;
    sharing *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "the sharers", sizeof *s);
    s->only_distances = o->only_distances;
    s->lane_count = setup->lane_count;
    s->widths = calloc(s->lane_count, sizeof *s->widths);
    if (!s->widths)
        err = dj_fail_memory(context, "the sharers", 0);
    for (uint32_t i = DJ_LANE_COHERENT; !err && i < s->lane_count; i++)
        s->widths[i] = o->sharers_per_cache[i - DJ_LANE_COHERENT];
    s->block_bytes = setup->lanes[0].block_bytes;
    uint64_t share = s->block_bytes / WORDS_MOST + (s->block_bytes % WORDS_MOST > 0);
    s->word_bytes = share > WORD_BYTES ? share : WORD_BYTES;
    s->shifts = (s->block_bytes & (s->block_bytes - 1)) == 0;
    s->word_shift = (unsigned)__builtin_ctzll(s->word_bytes);
    s->directory.classify = classify;
    s->directory.receiver = s;
    s->directory.has_places = o->places != NULL;
    s->directory.words = (uint32_t)(s->block_bytes / s->word_bytes + (s->block_bytes % s->word_bytes > 0));
    if (!err)
        err = dj_directory_create(&s->directory, context);
    if (!err)
        err = dj_sharing_places_create(&s->places, context, o);
    if (err)
        destroy(s);
    else
        *state = s;
    return err;
}

static int reserve(sharing *s, dj_context *context, uint32_t number)
{
    int err =
        dj_grow(context, "the sharers", &s->sharers, &s->capacity, (size_t)number + 1, sizeof *s->sharers);
    while (!err && s->count <= number) {
        sharer *new = &s->sharers[s->count++];
        new->lanes = calloc(s->lane_count, sizeof *new->lanes);
        new->invalidated = calloc(s->lane_count, sizeof *new->invalidated);
        if (!new->lanes || !new->invalidated)
            err = dj_fail_memory(context, "the sharers", 0);
    }
    return err;
}

static uint64_t word_of(const sharing *s, uint64_t offset)
{
    return s->shifts ? offset >> s->word_shift : offset / s->word_bytes;
}

static uint64_t find_words(const sharing *s, const dj_batch *batch, uint32_t i)
{
    uint64_t address = batch->column.address[i];
    uint64_t offset = s->shifts ? address & (s->block_bytes - 1) : address % s->block_bytes;
    uint64_t size = batch->column.size && batch->column.size[i] ? batch->column.size[i] : 1;
    uint64_t left = s->block_bytes - offset;
    uint64_t first = word_of(s, offset), last = word_of(s, offset + (size < left ? size : left) - 1);
    return (UINT64_MAX >> (63 - (last - first))) << first;
}

static dj_sharing_change compare(const dj_view *view, uint32_t i, dj_touched touched)
{
    const uint64_t alone = view->lanes[DJ_LANE_OWN].distance[i],
                   shared = view->lanes[DJ_LANE_SHARED].distance[i];
    if (touched.first)
        return (dj_sharing_change){.found = shared != DJ_COLD};
    return (dj_sharing_change){
        .broken = touched.after_other, .shortened = (shared < alone), .stretched = (alone < shared)};
}

static int see_access(sharing *s, dj_context *context, const dj_view *view, uint32_t i)
{
    const dj_columns *column = &view->batch->column;
    uint8_t kind = column->kind ? column->kind[i] : DJ_KIND_READ;
    const dj_touch touch = {.key = view->lanes[DJ_LANE_SHARED].key[i],
                            .address = column->address[i],
                            .words = find_words(s, view->batch, i),
                            .sharer = column->sharer[i],
                            .place = column->place ? column->place[i] : 0,
                            .writes = kind == DJ_KIND_WRITE || kind == DJ_KIND_MODIFY};
    dj_touched touched;
    int err = dj_directory_touch(&s->directory, context, &touch, &touched);
    if (err)
        return err;
    sharer *own = &s->sharers[touch.sharer];
    const dj_sharing_change change = compare(view, i, touched);
    dj_sharing_count(&own->counts, change);
    for (uint32_t lane = DJ_LANE_COHERENT; lane < s->lane_count; lane++)
        if (view->lanes[lane].distance[i] == DJ_COLD)
            own->invalidated[lane] += view->lanes[lane].lost_to[i] != 0;
    return s->places.table ? dj_sharing_places_count(&s->places, context, view, i, change,
                                                     &s->directory.users[touched.user])
                           : DJ_OK;
}

// The directory is large: what is needed soon is fetched ahead.
static int see_accesses(sharing *s, dj_context *context, const dj_view *view)
{
    const uint64_t *key = view->lanes[DJ_LANE_SHARED].key;
    const uint32_t count = view->batch->count;
    const uint32_t *sharers = view->batch->column.sharer;
    uint64_t blocks[FETCHED] = {0};
    int err = s->places.table ? dj_sharing_places_reserve(&s->places, context, view) : DJ_OK;
    for (uint32_t i = 0; !err && i < count; i++) {
        if (i + SEEK < count && key[i + SEEK] != key[i + SEEK - 1])
            dj_directory_seek(&s->directory, key[i + SEEK]);
        if (i + FETCH < count)
            blocks[(i + FETCH) % FETCHED] =
                key[i + FETCH] != key[i + FETCH - 1]
                    ? dj_directory_fetch(&s->directory, key[i + FETCH], sharers[i + FETCH])
                    : 0;
        if (i + FOLLOW < count)
            dj_directory_follow(&s->directory, blocks[(i + FOLLOW) % FETCHED], sharers[i + FOLLOW]);
        err = see_access(s, context, view, i);
    }
    return err;
}

// Sorts the accesses of a batch by sharer.
static int sort_batch(sharing *s, dj_context *context, const dj_batch *batch)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        most = batch->column.sharer[i] > most ? batch->column.sharer[i] : most;
    int err = reserve(s, context, most);
    if (!err)
        err = dj_grow(context, "the sharers", &s->ends, &s->end_count, s->count + 1, sizeof *s->ends);
    if (err)
        return err;
    memset(s->ends, 0, s->end_count * sizeof *s->ends);
    for (uint32_t i = 0; i < batch->count; i++)
        s->ends[batch->column.sharer[i] + 1]++;
    for (size_t k = 1; k <= s->count; k++)
        s->ends[k] += s->ends[k - 1];
    for (uint32_t i = 0; i < batch->count; i++)
        s->order[s->ends[batch->column.sharer[i]]++] = (uint16_t)i;
    return DJ_OK;
}

static int count_distances(sharing *s, dj_context *context, const dj_view *view)
{
    int err = DJ_OK;
    for (uint32_t lane = 0; !err && lane < s->lane_count; lane++) {
        for (uint32_t k = 0; k < view->batch->count; k++)
            s->distances[k] = view->lanes[lane].distance[s->order[k]];
        for (size_t i = 0, from = 0; !err && i < s->count; from = s->ends[i++])
            if (s->ends[i] > from)
                err = dj_gathered_add(&s->sharers[i].lanes[lane], context, s->distances + from,
                                      (uint32_t)(s->ends[i] - from), view->lanes[lane].weight_log2);
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    sharing *s = state;
    if (!view->batch->column.sharer && view->batch->count)
        return dj_fail(context, DJ_ERR_USAGE, "observer sharing saw an access without a sharer");
    int err = view->batch->count ? sort_batch(s, context, view->batch) : DJ_OK;
    if (!err && !s->only_distances && view->batch->count)
        err = see_accesses(s, context, view);
    return err || !view->batch->count ? err : count_distances(s, context, view);
}

static int finish_lane(const sharing *s, dj_context *context, size_t number, uint32_t lane,
                       dj_sharer_distances *to)
{
    to->sharers_per_cache = lane == DJ_LANE_SHARED ? (uint32_t)s->count
                            : lane == DJ_LANE_OWN  ? 1
                                                   : s->widths[lane];
    to->invalidated = s->sharers[number].invalidated[lane];
    to->lane.id = (dj_lane_id){.block_bytes = s->block_bytes, .sampling = 1};
    int err = dj_histogram_create(context, &to->lane.distance);
    if (!err)
        err = dj_gathered_finish(&s->sharers[number].lanes[lane], context, &to->lane);
    to->lane.distinct -= to->invalidated;
    return err;
}

static int finish_sharer(const sharing *s, dj_context *context, size_t number, dj_sharer_profile *to)
{
    to->counts = s->sharers[number].counts;
    to->groups = calloc(s->lane_count, sizeof *to->groups);
    int err = to->groups ? dj_copy_text(context, "", &to->name) : dj_fail_memory(context, "the sharers", 0);
    if (!err)
        err = finish_lane(s, context, number, DJ_LANE_SHARED, &to->concurrent);
    if (!err)
        err = finish_lane(s, context, number, DJ_LANE_OWN, &to->standalone);
    if (!err)
        err = finish_lane(s, context, number, DJ_LANE_COHERENT, &to->separate);
    for (uint32_t lane = DJ_LANE_COHERENT + 1; !err && lane < s->lane_count; lane++)
        err = finish_lane(s, context, number, lane, &to->groups[to->group_count++]);
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    sharing *s = state;
    dj_sharing *to = NULL;
    int err = dj_directory_end(&s->directory, context);
    if (!err)
        err = dj_profile_add_section(context, profile, &dj_section_sharing, &to);
    if (!err)
        err = dj_copy_text(context, "", &to->order);
    if (!err && !(to->sharers = calloc(s->count + 1, sizeof *to->sharers)))
        err = dj_fail_memory(context, "the sharers", 0);
    if (err)
        return err;
    to->word_bytes = s->word_bytes;
    for (; !err && to->count < s->count; to->count++)
        err = finish_sharer(s, context, to->count, &to->sharers[to->count]);
    if (!err)
        err = dj_sharing_places_finish(&s->places, context, &s->directory, to);
    return err ? err : dj_sharing_classes(&s->directory, context, to);
}

const dj_observer_ops dj_observer_sharing = {
    .name = "sharing",
    .summary = "what programs or threads that share caches do to each other",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS,
    .fills = &dj_section_sharing,
    .create = create,
    .destroy = destroy,
    .see = see,
    .finish = finish,
    .finishes_once = true,
};
