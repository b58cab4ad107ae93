// SPDX-License-Identifier: MIT
#include "locate/heap.h"

#include "base/grow.h"
#include "locate/generations.h"

#include <stdlib.h>

enum {
    PAGE_BITS = 12,
    GRAIN_BITS = 4, // allocators align to 16 bytes
    GRAINS = 1 << (PAGE_BITS - GRAIN_BITS),
    LEAF_BITS = 18,
    ROOT_BITS = 48 - PAGE_BITS - LEAF_BITS,
    BLOCKS_BITS = 12,
    BLOCKS = 1 << BLOCKS_BITS,
    BLOCK_CHUNKS = 1 << 19,
    BIG_MOST = 256,
};

// Reservations of at least this size are searched linearly.
#define BIG_BYTES (UINT64_C(1) << 32)

// The starts of blocks in a page; the id of a block is its index + 1.
typedef struct starts {
    uint64_t bits[GRAINS / 64];
    uint32_t block[GRAINS];
} starts;

typedef struct page {
    uint32_t cover; // the block that starts before this page and extends into it; 0: none
    uint32_t start; // index into starts + 1; 0: no block has ever started here
} page;

struct dj_heap {
    page *root[1 << ROOT_BITS];
    starts *starts;
    size_t start_count, start_capacity;
    dj_heap_block **chunks; // never moved
    uint32_t block_count, free;
    uint32_t big[BIG_MOST]; // blocks that would fill too many pages; the oldest is dropped first
    unsigned big_count, big_next;
    uint32_t serial, changes;
    dj_generations *generations; // NULL: reallocated memory is the same data
};

int dj_heap_create(dj_context *context, bool fresh, dj_heap **out)
{
    dj_heap *heap = calloc(1, sizeof *heap);
    if (!heap)
        return dj_fail_memory(context, "the map of the heap", sizeof *heap);
    heap->chunks = calloc(BLOCK_CHUNKS, sizeof(dj_heap_block *));
    if (!heap->chunks) {
        free(heap);
        return dj_fail_memory(context, "the map of the heap", 0);
    }
    int err = fresh ? dj_generations_create(context, &heap->generations) : DJ_OK;
    if (err)
        dj_heap_destroy(heap);
    else
        *out = heap;
    return err;
}

void dj_heap_destroy(dj_heap *heap)
{
    if (!heap)
        return;
    for (size_t i = 0; i < 1 << ROOT_BITS; i++)
        if (heap->root[i]) // nearly all are empty, and a call for each would be slow
            free(heap->root[i]);
    for (size_t i = 0; i < BLOCK_CHUNKS && heap->chunks[i]; i++)
        free(heap->chunks[i]);
    free(heap->chunks);
    free(heap->starts);
    dj_generations_destroy(heap->generations);
    free(heap);
}

const uint32_t *dj_heap_changes_at(const dj_heap *heap)
{
    return &heap->changes;
}

static dj_heap_block *block_of(const dj_heap *heap, uint32_t id)
{
    return &heap->chunks[(id - 1) >> BLOCKS_BITS][(id - 1) & (BLOCKS - 1)];
}

static page *find_page(const dj_heap *heap, uint64_t address)
{
    uint64_t number = address >> PAGE_BITS;
    if (number >> (ROOT_BITS + LEAF_BITS))
        return NULL;
    page *leaf = heap->root[number >> LEAF_BITS];
    return leaf ? &leaf[number & ((1 << LEAF_BITS) - 1)] : NULL;
}

static page *make_page(dj_heap *heap, dj_context *context, uint64_t address)
{
    uint64_t number = address >> PAGE_BITS;
    if (number >> (ROOT_BITS + LEAF_BITS))
        return NULL;
    page **leaf = &heap->root[number >> LEAF_BITS];
    if (!*leaf)
        *leaf = calloc(1 << LEAF_BITS, sizeof **leaf);
    if (!*leaf) {
        (void)dj_fail_memory(context, "the map of the heap", sizeof **leaf << LEAF_BITS);
        return NULL;
    }
    return &(*leaf)[number & ((1 << LEAF_BITS) - 1)];
}

static unsigned grain_of(uint64_t address)
{
    return (unsigned)(address >> GRAIN_BITS) & (GRAINS - 1);
}

// The last block that starts in [0, grain] of a page; 0: none.
static uint32_t last_start(const starts *s, unsigned grain)
{
    unsigned word = grain / 64;
    uint64_t bits = s->bits[word] & (UINT64_MAX >> (63 - grain % 64));
    while (!bits) {
        if (word == 0)
            return 0;
        bits = s->bits[--word];
    }
    return s->block[word * 64 + 63 - (unsigned)__builtin_clzll(bits)];
}

static const dj_heap_block *find_big(const dj_heap *heap, uint64_t address)
{
    for (unsigned i = 0; i < heap->big_count; i++) {
        const dj_heap_block *b = block_of(heap, heap->big[i]);
        if (b->serial && address >= b->lo && address < b->hi)
            return b;
    }
    return NULL;
}

const dj_heap_block *dj_heap_find(const dj_heap *heap, uint64_t address)
{
    const page *p = find_page(heap, address);
    if (p && p->start) {
        uint32_t id = last_start(&heap->starts[p->start - 1], grain_of(address));
        if (id) {
            const dj_heap_block *b = block_of(heap, id);
            if (address >= b->lo && address < b->hi)
                return b;
        }
    }
    if (p && p->cover) {
        const dj_heap_block *b = block_of(heap, p->cover);
        if (address < b->hi)
            return b;
    }
    return heap->big_count ? find_big(heap, address) : NULL;
}

static bool is_big(const dj_heap_block *block)
{
    return block->hi - block->lo >= BIG_BYTES;
}

static void forget_big(dj_heap *heap, uint32_t id)
{
    for (unsigned i = 0; i < heap->big_count; i++)
        if (heap->big[i] == id) {
            heap->big[i] = heap->big[--heap->big_count];
            return;
        }
}

static void uncover(dj_heap *heap, const dj_heap_block *b, uint32_t id)
{
    for (uint64_t number = (b->lo >> PAGE_BITS) + 1; number <= (b->hi - 1) >> PAGE_BITS; number++) {
        page *p = find_page(heap, number << PAGE_BITS);
        if (p && p->cover == id)
            p->cover = 0;
    }
}

static void release(dj_heap *heap, uint32_t id)
{
    dj_heap_block *b = block_of(heap, id);
    if (is_big(b))
        forget_big(heap, id);
    else
        uncover(heap, b, id);
    b->serial = 0;
    b->next_free = heap->free;
    heap->free = id;
}

static int forget_start(dj_heap *heap, dj_context *context, starts *s, unsigned grain, bool freed)
{
    const dj_heap_block *b = block_of(heap, s->block[grain]);
    int err = freed && heap->generations
                  ? dj_generations_end(heap->generations, context, b->lo, b->hi, b->generation)
                  : DJ_OK;
    s->bits[grain / 64] &= ~(UINT64_C(1) << grain % 64);
    release(heap, s->block[grain]);
    return err;
}

int dj_heap_remove(dj_heap *heap, dj_context *context, uint64_t address)
{
    const page *p = find_page(heap, address);
    if (!p || !p->start)
        return DJ_OK;
    starts *s = &heap->starts[p->start - 1];
    unsigned grain = grain_of(address);
    if (!(s->bits[grain / 64] >> grain % 64 & 1) || block_of(heap, s->block[grain])->lo != address)
        return DJ_OK;
    heap->changes++;
    return forget_start(heap, context, s, grain, true);
}

// Whether a block that starts within a new one in [lo, hi) was freed. If it goes on behind it, it is the
// mapping in which an allocator made the new one.
static bool was_freed(const dj_heap_block *old, uint64_t hi)
{
    return old->hi <= hi;
}

// Removes the blocks that start in [lo, hi).
static int clear(dj_heap *heap, dj_context *context, uint64_t lo, uint64_t hi)
{
    int err = DJ_OK;
    if (hi - lo >= BIG_BYTES)
        return DJ_OK;
    for (uint64_t at = lo; !err && at < hi; at = (at | ((UINT64_C(1) << PAGE_BITS) - 1)) + 1) {
        const page *p = find_page(heap, at);
        if (!p || !p->start)
            continue;
        starts *s = &heap->starts[p->start - 1];
        uint64_t end = at >> PAGE_BITS == (hi - 1) >> PAGE_BITS ? grain_of(hi - 1) + 1 : GRAINS;
        for (unsigned grain = grain_of(at); !err && grain < end; grain++)
            if (s->bits[grain / 64] >> grain % 64 & 1)
                err = forget_start(heap, context, s, grain, was_freed(block_of(heap, s->block[grain]), hi));
    }
    return err;
}

static uint32_t take_block(dj_heap *heap, dj_context *context)
{
    uint32_t id = heap->free;
    if (id) {
        heap->free = block_of(heap, id)->next_free;
        return id;
    }
    uint32_t chunk = heap->block_count >> BLOCKS_BITS;
    if (chunk >= BLOCK_CHUNKS) {
        (void)dj_fail(context, DJ_ERR_MEMORY, "more than 2^31 heap blocks at one time");
        return 0;
    }
    if (!heap->chunks[chunk])
        heap->chunks[chunk] = calloc(BLOCKS, sizeof(dj_heap_block));
    if (!heap->chunks[chunk]) {
        (void)dj_fail_memory(context, "the map of the heap", BLOCKS * sizeof(dj_heap_block));
        return 0;
    }
    return ++heap->block_count;
}

static int mark_start(dj_heap *heap, dj_context *context, uint64_t address, uint32_t id)
{
    page *p = make_page(heap, context, address);
    if (!p)
        return DJ_ERR_MEMORY;
    if (!p->start) {
        int err = dj_grow(context, "the map of the heap", &heap->starts, &heap->start_capacity,
                          heap->start_count + 1, sizeof *heap->starts);
        if (err)
            return err;
        p->start = (uint32_t)++heap->start_count;
    }
    starts *s = &heap->starts[p->start - 1];
    unsigned grain = grain_of(address);
    s->bits[grain / 64] |= UINT64_C(1) << grain % 64;
    s->block[grain] = id;
    return DJ_OK;
}

static void cover_big(dj_heap *heap, uint32_t id)
{
    if (heap->big_count < BIG_MOST)
        heap->big[heap->big_count++] = id;
    else
        heap->big[heap->big_next++ % BIG_MOST] = id;
}

int dj_heap_add(dj_heap *heap, dj_context *context, uint64_t address, uint64_t bytes, uint32_t object)
{
    uint64_t hi = address + (bytes ? bytes : 1);
    if (hi < address || (hi - 1) >> 48)
        return DJ_OK; // nothing can be accessed there
    heap->changes++;
    int err = clear(heap, context, address & ~((UINT64_C(1) << GRAIN_BITS) - 1), hi);
    uint32_t id = err ? 0 : take_block(heap, context), generation = 0;
    uint64_t fresh = address;
    if (id && heap->generations)
        err = dj_generations_find(heap->generations, context, address, hi, &generation, &fresh);
    if (!id || err)
        return err ? err : DJ_ERR_MEMORY;
    if (++heap->serial == 0)
        heap->serial = 1;
    *block_of(heap, id) = (dj_heap_block){address, hi, fresh, object, heap->serial, 0, generation};
    err = mark_start(heap, context, address, id);
    if (is_big(block_of(heap, id))) {
        cover_big(heap, id);
        return err;
    }
    for (uint64_t at = (address >> PAGE_BITS) + 1; !err && at <= (hi - 1) >> PAGE_BITS; at++) {
        page *p = make_page(heap, context, at << PAGE_BITS);
        if (p)
            p->cover = id;
        else
            err = DJ_ERR_MEMORY;
    }
    return err;
}
