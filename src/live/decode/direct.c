// SPDX-License-Identifier: MIT
// Records of two words that contain the pc: accesses, function entries and exits, passes. Nearly all records
// of a recompiled program are of this kind.
#include "live/decode/internal.h"

#include "base/grow.h"

#define NO_SIZE_AND_KIND (~DJ_DIRECT_RECORD(DJ_DIRECT_ACCESS_END - DJ_DIRECT_ACCESS - 1, 0))
#define SIZE_OF(type) (UINT64_C(1) << ((type)&7))
#define KIND_OF(type) ((uint8_t)((type) >> 3 & 3))

static bool is_access(unsigned type)
{
    return type >= DJ_DIRECT_ACCESS && type < DJ_DIRECT_ACCESS_END;
}

// Copies consecutive accesses while their sites are cached; returns their number.
static uint32_t copy_accesses(const dj_decoder *d, const uint64_t *words, size_t pairs, dj_batch *batch)
{
    // Local copies, since a store of bytes could otherwise alias any of them.
    uint64_t *address = (uint64_t *)(uintptr_t)batch->column.address + batch->count;
    uint64_t *size = (uint64_t *)(uintptr_t)batch->column.size + batch->count;
    uint32_t *site = (uint32_t *)(uintptr_t)batch->column.site + batch->count;
    uint8_t *kind = (uint8_t *)(uintptr_t)batch->column.kind + batch->count;
    const dj_cached_site *cached = d->sites.cache;
    uint32_t space = DJ_BATCH_CAPACITY - DJ_DECODER_SLACK - batch->count;
    uint32_t most = pairs < space ? (uint32_t)pairs : space, i = 0;
    for (; i < most; i++) {
        uint64_t record = words[2 * (size_t)i];
        unsigned type = DJ_RECORD_TYPE(record);
        const dj_cached_site *known = &cached[record >> DJ_LIVE_SITES_SHIFT & (DJ_LIVE_SITES_CACHED - 1)];
        // True only for accesses: the key contains their type.
        if (__builtin_expect((record & NO_SIZE_AND_KIND) != known->key, 0))
            break;
        address[i] = words[2 * (size_t)i + 1];
        size[i] = SIZE_OF(type);
        site[i] = known->site;
        kind[i] = KIND_OF(type);
    }
    batch->count += i;
    return i;
}

static size_t leave_out_accesses(dj_decoder *d, const uint64_t *words, size_t pairs)
{
    size_t i = 0;
    while (i < pairs && is_access(DJ_RECORD_TYPE(words[2 * i])))
        i++;
    d->left_out += i;
    return i;
}

static int count_pass(dj_decoder *d, dj_context *context, uint32_t site)
{
    int err =
        dj_grow(context, "the passes", &d->passes, &d->pass_capacity, (size_t)site + 1, sizeof *d->passes);
    if (!err)
        d->passes[site]++;
    return err;
}

static int enter(dj_decoder *d, dj_context *context, uint32_t site, dj_entered function, dj_batch *batch)
{
    int err = dj_thread_enter(d->thread, context, function);
    return err ? err : dj_decode_event(context, batch, DJ_EVENT_CALL, site, 0, function.position);
}

static int leave(dj_decoder *d, dj_context *context, uint64_t pc, uint64_t sp, dj_batch *batch)
{
    uint64_t position;
    if (!dj_thread_leave(d->thread, pc, sp, &position))
        return DJ_OK;
    return dj_decode_event(context, batch, DJ_EVENT_RETURN, 0, 0, position + sizeof(uint64_t));
}

static int feed_one(dj_decoder *d, dj_context *context, uint64_t record, uint64_t word, dj_batch *batch)
{
    unsigned type = DJ_RECORD_TYPE(record);
    uint32_t site = 0;
    if (type == DJ_DIRECT_EXIT)
        return leave(d, context, DJ_DIRECT_PC(record), word, batch);
    if (type > DJ_DIRECT_PASS)
        return DJ_OK; // from a newer tracer
    int err = dj_live_sites_find_call(&d->sites, context, batch, DJ_DIRECT_PC(record), &site);
    if (err)
        return err;
    if (type == DJ_DIRECT_ENTRY)
        return enter(d, context, site, (dj_entered){word, DJ_DIRECT_PC(record)}, batch);
    if (type == DJ_DIRECT_PASS)
        return d->paused ? DJ_OK : count_pass(d, context, site);
    dj_batch_append(batch, word, SIZE_OF(type), site, KIND_OF(type));
    return DJ_OK;
}

int dj_decode_direct(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count, size_t *at,
                     dj_batch *batch, bool *full)
{
    int err = DJ_OK;
    while (!err && *at < count && DJ_RECORD_IS_DIRECT(words[*at])) {
        size_t pairs = (count - *at) / 2;
        if (pairs == 0)
            return dj_fail(context, DJ_ERR_INPUT, "a record lacks its second word");
        if (!dj_decoder_has_room(batch)) {
            *full = true;
            return DJ_OK;
        }
        if (d->strings.count)
            dj_strings_flush(&d->strings, batch);
        size_t done = d->paused ? leave_out_accesses(d, words + *at, pairs)
                                : copy_accesses(d, words + *at, pairs, batch);
        *at += 2 * done;
        if (done == pairs || !DJ_RECORD_IS_DIRECT(words[*at]) || !dj_decoder_has_room(batch))
            continue;
        err = feed_one(d, context, words[*at], words[*at + 1], batch);
        *at += err ? 0 : 2;
    }
    return err;
}

int dj_decode_passes(dj_decoder *d, dj_context *context, dj_batch *batch)
{
    int err = DJ_OK;
    for (size_t site = 0; !err && site < d->pass_capacity; site++)
        if (d->passes[site])
            err = dj_decode_event(context, batch, DJ_EVENT_PASS, site, d->passes[site], 0);
    d->pass_capacity = 0;
    return err;
}

int dj_decode_statement(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count,
                        dj_batch *batch)
{
    uint32_t site;
    if (count < 1)
        return dj_fail(context, DJ_ERR_INPUT, "the record of a statement lacks its location");
    int err = dj_live_sites_find_call(&d->sites, context, batch, words[0], &site);
    return err ? err : dj_decode_event(context, batch, DJ_EVENT_STATEMENT, site, d->statements++, 0);
}
