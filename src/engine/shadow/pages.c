// SPDX-License-Identifier: MIT
// The memory of engine shadow: consecutive pages of times, with tags and timestamps of the user in the
// same order, and the directory that finds them.
#include "engine/shadow/shadow.h"

#include <string.h>

enum { LEAST_SLOTS = 1 << 15, MOST_EXPECTED = 1 << 24, COPY_BYTES = 2 << 20, SLOT_BITS = 32 };

static const char what[] = "the pages of engine shadow";

// Lengthens one column. The old memory is released while it is being copied.
static int lengthen(dj_huge *column, dj_footprint *footprint, dj_context *context, uint64_t slots,
                    size_t bytes_each)
{
    dj_huge longer;
    int err = dj_huge_allocate(&longer, footprint, context, what, slots, bytes_each);
    if (err != DJ_OK)
        return err;
    for (size_t at = 0; at < column->bytes; at += COPY_BYTES) {
        size_t left = column->bytes - at;
        memcpy((char *)longer.memory + at, (char *)column->memory + at,
               left < COPY_BYTES ? left : COPY_BYTES);
        dj_huge_release_front(column, footprint, at);
    }
    dj_huge_free(column, footprint);
    *column = longer;
    return DJ_OK;
}

// If a later column cannot be lengthened, the earlier ones stay longer.
static int reserve_pages(dj_shadow *s, dj_context *context, uint64_t pages)
{
    dj_fast *f = &s->fast;
    uint64_t slots = pages << s->page_bits;
    int err = lengthen(&s->times, &f->footprint, context, slots, sizeof *f->slots.words);
    f->slots.words = s->times.memory;
    if (err == DJ_OK && f->use & DJ_CAN_TAGS) {
        err = lengthen(&s->tags, &f->footprint, context, slots, sizeof *f->slots.tag);
        f->slots.tag = s->tags.memory;
    }
    if (err == DJ_OK && f->use & DJ_CAN_TIMES) {
        err = lengthen(&s->stamps, &f->footprint, context, slots, sizeof *f->slots.stamp);
        f->slots.stamp = s->stamps.memory;
    }
    if (err != DJ_OK)
        return err;
    s->pages_at_most = pages;
    return DJ_OK;
}

// Compaction walks over the pages that are in use.
static void set_lines(dj_shadow *s)
{
    s->fast.slots.lines = (s->directory.count << s->page_bits) / DJ_FAST_LINE_WORDS;
}

int dj_shadow_pages_create(dj_shadow *shadow, dj_context *context, uint64_t expected_keys)
{
    dj_fast *f = &shadow->fast;
    uint64_t slots = expected_keys < MOST_EXPECTED ? expected_keys : MOST_EXPECTED;
    if (slots < LEAST_SLOTS)
        slots = LEAST_SLOTS;
    f->slots.ways = DJ_FAST_LINE_WORDS;
    int err = dj_map_create(&shadow->directory, context, &f->footprint, 0);
    if (err == DJ_OK)
        err = reserve_pages(shadow, context, (slots >> shadow->page_bits) + 1);
    return err;
}

static void destroy_pages(dj_fast *fast)
{
    dj_shadow *s = (dj_shadow *)(void *)fast;
    dj_map_destroy(&s->directory);
    dj_huge_free(&s->times, &fast->footprint);
    dj_huge_free(&s->tags, &fast->footprint);
    dj_huge_free(&s->stamps, &fast->footprint);
}

// Slots do not change when there are more.
static int reserve(dj_fast *fast, dj_context *context)
{
    dj_shadow *s = (dj_shadow *)(void *)fast;
    uint64_t needed = s->directory.count + fast->chunk.beginnings;
    uint64_t most = (UINT64_C(1) << (SLOT_BITS - s->page_bits)) - 1;
    set_lines(s);
    while (needed > s->directory.limit) {
        int err = dj_map_grow(&s->directory, context);
        if (err != DJ_OK)
            return err;
    }
    if (needed <= s->pages_at_most)
        return DJ_OK;
    if (needed > most)
        return dj_fail(context, DJ_ERR_MEMORY,
                       "engine shadow holds at most %llu pages of %u keys; choose engine fast",
                       (unsigned long long)most, 1u << s->page_bits);
    uint64_t pages = s->pages_at_most + s->pages_at_most / 2;
    if (pages < needed)
        pages = needed;
    return reserve_pages(s, context, pages < most ? pages : most);
}

static void put_all(const dj_fast *fast, const dj_order *out)
{
    const dj_shadow *s = (const dj_shadow *)(const void *)fast;
    for (uint64_t i = 0; i <= s->directory.mask; i++) {
        const dj_map_entry *entry = &s->directory.entries[i];
        if (entry->value == 0)
            continue;
        for (uint64_t at = 0; at >> s->page_bits == 0; at++)
            dj_fast_order_put(fast, (uint32_t)(((entry->value - 1) << s->page_bits) + at),
                              (entry->key << s->page_bits) + at, out);
    }
}

const dj_fast_store dj_shadow_store = {.destroy = destroy_pages, .reserve = reserve, .put_all = put_all};
