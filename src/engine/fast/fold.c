// SPDX-License-Identifier: MIT
// An access that repeats the previous key needs no work: its distance is 0, and its tag and time
// replace those of the previous access. If a chunk has many such accesses, they are removed and filled
// in afterwards.
#include "engine/fast/fast.h"

enum {
    PAYS = 8,       // if at least one in this many accesses can be removed
    TRY_AGAIN = 16, // chunks until the check is repeated
};

static void find_last(dj_fast_fold *fold, uint32_t count)
{
    const uint32_t words = (count + 63) / 64;
    for (uint32_t i = 0; i < words; i++)
        fold->is_last[i] = fold->is_new[i] >> 1 | (i + 1 < words ? fold->is_new[i + 1] << 63 : 0);
    fold->is_last[(count - 1) / 64] |= UINT64_C(1) << (count - 1) % 64;
}

bool dj_fast_fold_away(dj_fast *fast, dj_work *part)
{
    dj_fast_fold *fold = &fast->fold;
    uint32_t count = (uint32_t)part->count;
    if (fast->unfolded++ % TRY_AGAIN != 0)
        return false;
    uint32_t left = fast->path->squeeze(fold, part->key, count);
    if (count - left >= count / PAYS)
        fast->unfolded = 0;
    if (fast->use & (DJ_CAN_TAGS | DJ_CAN_TIMES))
        find_last(fold, count);
    if (fast->use & DJ_CAN_TAGS)
        fast->path->squeeze_tags(fold, part->tag, count);
    if (fast->use & DJ_CAN_TIMES)
        fast->path->squeeze_times(fold, part->time, count);
    *part = (dj_work){.count = left,
                      .key = fold->key,
                      .tag = fold->tag,
                      .time = fold->time,
                      .distance = fold->distance,
                      .prev_tag = fold->prev_tag,
                      .prev_time = fold->prev_time};
    return true;
}

void dj_fast_unfold(dj_fast *fast, const dj_work *whole)
{
    const dj_fast_fold *fold = &fast->fold;
    uint32_t count = (uint32_t)whole->count;
    fast->path->spread(fold, whole->distance, count);
    if (fast->use & DJ_CAN_TAGS)
        fast->path->spread_tags(fold, whole->tag, whole->prev_tag, count);
    if (fast->use & DJ_CAN_TIMES)
        fast->path->spread_times(fold, whole->time, whole->prev_time, count);
}
