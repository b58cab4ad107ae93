// SPDX-License-Identifier: MIT
#include "pipeline/lanes/coherence.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/huge.h"
#include "base/map.h"
#include "pipeline/lanes/front.h"

// An entry is KEY, STATE, and two sets of caches of `words` words each: those that hold the block, and
// those that ever did. While there are at most FEW caches, `words` is 0, and both sets are in the word of the
// state, below it. Everything is in one entry rather than in a table that a base/map.h refers to, since an
// access should cost one cache miss.
enum { KEY, STATE, SETS };
// State of an entry: 0: free. Otherwise 1 + what lost_to is: 0, or 1 + the cache that wrote last.
enum { LEAST_ENTRIES = 1024, CACHES_PER_WORD = 64, FEW = 28, AHEAD = 20 };

struct dj_coherence {
    dj_front *fronts; // by cache
    size_t front_capacity;
    dj_huge table;
    uint64_t mask, count, limit;
    uint32_t words; // per set; 0: few caches
    dj_footprint footprint;
};

static inline size_t entry_words(uint32_t words)
{
    return words ? SETS + 2 * (size_t)words : SETS;
}

static int allocate(dj_coherence *c, dj_context *context, uint64_t entries, uint32_t words)
{
    dj_huge table = {0};
    int err = dj_huge_allocate(&table, &c->footprint, context, "the directory of coherent caches", entries,
                               entry_words(words) * sizeof(uint64_t));
    if (err)
        return err;
    c->table = table;
    c->mask = entries - 1;
    c->limit = entries / 4 * 3;
    c->words = words;
    return DJ_OK;
}

int dj_coherence_create(dj_context *context, dj_coherence **out)
{
    dj_coherence *c = calloc(1, sizeof *c);
    if (!c)
        return dj_fail_memory(context, "the directory of coherent caches", 0);
    int err = allocate(c, context, LEAST_ENTRIES, 0);
    if (err)
        free(c);
    else
        *out = c;
    return err;
}

void dj_coherence_destroy(dj_coherence *c)
{
    if (!c)
        return;
    dj_huge_free(&c->table, &c->footprint);
    free(c->fronts);
    free(c);
}

const dj_footprint *dj_coherence_footprint(const dj_coherence *c)
{
    return &c->footprint;
}

static inline uint64_t *entry_at(const dj_coherence *c, uint64_t index, uint32_t words)
{
    return (uint64_t *)c->table.memory + index * entry_words(words);
}

// The entry of `key`, or the free entry where it would go.
static inline uint64_t *find(const dj_coherence *c, uint64_t key, uint32_t words)
{
    DJ_PROBE (at, dj_map_hash(key), c->mask) {
        uint64_t *entry = entry_at(c, at, words);
        if (entry[STATE] == 0 || entry[KEY] == key)
            return entry;
    }
}

static inline uint64_t get_state(const uint64_t *entry, uint32_t words)
{
    return words ? entry[STATE] : entry[STATE] >> 2 * FEW;
}

// Word `w` of the set of caches that hold the block, and of those that ever did.
typedef struct sets {
    uint64_t held, had;
} sets;

static inline sets get_sets(const uint64_t *entry, uint32_t words, uint32_t w)
{
    const uint64_t few = (UINT64_C(1) << FEW) - 1;
    return words ? (sets){entry[SETS + w], entry[SETS + words + w]}
                 : (sets){entry[STATE] & few, entry[STATE] >> FEW & few};
}

static inline void put(uint64_t *entry, uint32_t words, uint32_t w, uint64_t state, sets s)
{
    if (words == 0) {
        entry[STATE] = state << 2 * FEW | s.had << FEW | s.held;
        return;
    }
    entry[STATE] = state;
    entry[SETS + w] = s.held;
    entry[SETS + words + w] = s.had;
}

// Moves all entries to a table of this size.
static int rebuild(dj_coherence *c, dj_context *context, uint64_t entries, uint32_t words)
{
    dj_coherence old = *c;
    int err = allocate(c, context, entries, words);
    if (err)
        return err;
    for (uint64_t i = 0; i <= old.mask; i++) {
        const uint64_t *from = entry_at(&old, i, old.words);
        if (from[STATE] == 0)
            continue;
        uint64_t *to = find(c, from[KEY], words);
        to[KEY] = from[KEY];
        for (uint32_t w = 0; w == 0 || w < old.words; w++)
            put(to, words, w, get_state(from, old.words), get_sets(from, old.words, w));
    }
    dj_huge_free(&old.table, &c->footprint);
    return DJ_OK;
}

// Makes the sets large enough for the caches of the batch.
static int fit_caches(dj_coherence *c, dj_context *context, const dj_selection *s)
{
    uint32_t last = 0, words = c->words;
    for (uint32_t i = 0; i < s->count; i++)
        last = s->partition[i] > last ? s->partition[i] : last;
    if (last >= DJ_COHERENT_CACHES_MOST)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "there are more than %d coherent caches, one for each sharer; measure fewer "
                       "sharers, or one cache for all of them with 'deja analyze'",
                       DJ_COHERENT_CACHES_MOST);
    while (last >= (words ? words * CACHES_PER_WORD : FEW))
        words = words ? 2 * words : 1;
    int err = dj_grow(context, "the directory of coherent caches", &c->fronts, &c->front_capacity,
                      last + (size_t)1, sizeof *c->fronts);
    if (err)
        return err;
    return words > c->words ? rebuild(c, context, c->mask + 1, words) : DJ_OK;
}

typedef struct batch_view {
    const dj_selection *selection;
    const uint8_t *kind; // NULL: all accesses read
    const uint64_t *key;
    uint32_t *lost_to;
    dj_operations *operations;
} batch_view;

static inline bool writes(const batch_view *v, uint32_t i)
{
    return v->kind && (v->kind[i] == DJ_KIND_WRITE || v->kind[i] == DJ_KIND_MODIFY);
}

// Invalidates the block in all caches that hold it except `cache`.
static int invalidate_others(dj_coherence *c, uint64_t *entry, uint32_t words, uint32_t cache,
                             dj_context *context, const batch_view *v, uint32_t i)
{
    dj_operation operation = {.key = entry[KEY], .position = (uint16_t)i, .op = DJ_OP_INVALIDATE};
    int err = DJ_OK;
    for (uint32_t w = 0; w == 0 || w < words; w++) {
        const uint64_t own = w == cache / CACHES_PER_WORD ? UINT64_C(1) << cache % CACHES_PER_WORD : 0;
        sets s = get_sets(entry, words, w);
        for (uint64_t others = s.held & ~own; !err && others; others &= others - 1) {
            operation.partition = w * CACHES_PER_WORD + (uint32_t)__builtin_ctzll(others);
            dj_front_limit(&c->fronts[operation.partition], operation.key, DJ_FRONT_UNKNOWN);
            err = dj_operations_add(v->operations, context, &operation);
        }
        s.held &= own;
        put(entry, words, w, get_state(entry, words), s);
    }
    return err;
}

// The cache no longer has the block and never did.
static int forget(dj_coherence *c, uint64_t *entry, uint32_t words, uint32_t cache, dj_context *context,
                  const batch_view *v, uint32_t i)
{
    const uint64_t bit = UINT64_C(1) << cache % CACHES_PER_WORD;
    const dj_operation operation = {entry[KEY], cache, (uint16_t)i, DJ_OP_INVALIDATE};
    sets s = get_sets(entry, words, cache / CACHES_PER_WORD);
    const bool held = s.held & bit;
    s.held &= ~bit;
    s.had &= ~bit;
    put(entry, words, cache / CACHES_PER_WORD, get_state(entry, words), s);
    dj_front_limit(&c->fronts[cache], entry[KEY], DJ_FRONT_UNKNOWN);
    return held ? dj_operations_add(v->operations, context, &operation) : DJ_OK;
}

static inline bool others_hold(const uint64_t *entry, uint32_t words, uint32_t cache)
{
    for (uint32_t w = 0; words > 1 && w < words; w++)
        if (w != cache / CACHES_PER_WORD && get_sets(entry, words, w).held)
            return true;
    return false;
}

// One access by `cache`. Whether it writes is hard to predict, so few branches depend on it.
static inline int touch(dj_coherence *c, uint64_t *entry, uint32_t words, uint32_t cache, dj_context *context,
                        const batch_view *v, uint32_t i)
{
    const uint64_t bit = UINT64_C(1) << cache % CACHES_PER_WORD, state = get_state(entry, words);
    const bool write = writes(v, i);
    sets s = get_sets(entry, words, cache / CACHES_PER_WORD);
    const bool fresh = !(s.held & bit);
    const bool others = (s.held & ~bit) != 0 || others_hold(entry, words, cache);
    v->lost_to[i] = fresh && s.had & bit ? (uint32_t)state - 1 : 0;
    // Only the last writer can have had the block for itself.
    if (fresh && state > 1)
        dj_front_limit(&c->fronts[state - 2], entry[KEY], DJ_FRONT_HELD);
    s.held |= bit;
    s.had |= bit;
    put(entry, words, cache / CACHES_PER_WORD, write ? cache + UINT64_C(2) : state, s);
    dj_front_set(&c->fronts[cache], entry[KEY], write ? DJ_FRONT_EXCLUSIVE : DJ_FRONT_HELD);
    return write && others ? invalidate_others(c, entry, words, cache, context, v, i) : DJ_OK;
}

// The entry of `key`, which is created if there is none; NULL if memory runs out.
static inline uint64_t *meet(dj_coherence *c, dj_context *context, uint64_t key, uint32_t words)
{
    uint64_t *entry = find(c, key, words);
    if (entry[STATE] != 0)
        return entry;
    if (c->count == c->limit) {
        if (rebuild(c, context, 2 * (c->mask + 1), words))
            return NULL;
        entry = find(c, key, words);
    }
    c->count++;
    entry[KEY] = key;
    put(entry, words, 0, 1, (sets){0, 0});
    return entry;
}

// `words` is a constant in the usual case.
static inline __attribute__((always_inline)) int follow(dj_coherence *c, dj_context *context,
                                                        const batch_view *v, uint32_t words)
{
    const dj_selection *s = v->selection;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < s->count; i++) {
        if (i + AHEAD < s->count)
            __builtin_prefetch(entry_at(c, dj_map_hash(v->key[i + AHEAD]) & c->mask, words), 1);
        const uint32_t cache = s->partition[i];
        const uint64_t key = v->key[i];
        v->lost_to[i] = 0;
        if (s->verdict[i] == DJ_VERDICT_ABSENT ||
            (s->verdict[i] != DJ_VERDICT_INVALIDATE &&
             dj_front_get(&c->fronts[cache], key) >= (writes(v, i) ? DJ_FRONT_EXCLUSIVE : DJ_FRONT_HELD)))
            continue;
        uint64_t *entry = meet(c, context, key, words);
        if (!entry)
            return DJ_ERR_MEMORY;
        err = s->verdict[i] == DJ_VERDICT_INVALIDATE ? forget(c, entry, words, cache, context, v, i)
                                                     : touch(c, entry, words, cache, context, v, i);
    }
    return err;
}

int dj_coherence_follow(dj_coherence *c, dj_context *context, const dj_batch *batch,
                        const dj_selection *selection, const uint64_t *key, uint32_t *lost_to,
                        dj_operations *operations)
{
    const batch_view view = {selection, batch->column.kind, key, lost_to, operations};
    if (!batch->column.kind && batch->count > 0)
        dj_warn(context, "the trace does not say which accesses write, so no write invalidates a block in "
                         "another cache");
    int err = fit_caches(c, context, selection);
    if (err)
        return err;
    return c->words == 0 ? follow(c, context, &view, 0) : follow(c, context, &view, c->words);
}
