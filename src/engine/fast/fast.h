// SPDX-License-Identifier: MIT
// Internals of engine fast. See fast.c for the idea.
#ifndef DEJA_ENGINE_FAST_FAST_H
#define DEJA_ENGINE_FAST_FAST_H

#include "engine/fast/table.h"
#include "engine/fast/timeline.h"
#include "engine/work.h"

enum {
    DJ_FAST_WINDOW = 16,
    DJ_FAST_CHUNK = 2048,
    DJ_FAST_NEW_RUN = 64,  // as a lag: not within the window. The lower bits are 0.
    DJ_FAST_AHEAD = 200,   // run beginnings between the prefetch of a line and its use
    DJ_FAST_TOGETHER = 16, // run beginnings that are answered together
    DJ_FAST_COARSER = 4,   // 2^4 keys share a line of times
    DJ_FAST_PAD = 64,      // vector instructions read and write this far beyond the end
    DJ_FAST_ACCESSES = DJ_FAST_WINDOW + DJ_FAST_CHUNK + DJ_FAST_PAD,
    DJ_FAST_BEGINNINGS = DJ_FAST_CHUNK + DJ_FAST_AHEAD + DJ_FAST_PAD,
};

// The accesses being processed. Accesses to one key, each within the window of the previous one, are a
// run: only its first access needs the table, and only its last one a point on the timeline.
typedef struct dj_fast_chunk {
    // One element per access: first the window, which holds the last accesses of the previous chunk,
    // then the accesses of this chunk. A run is identified by the index of its first access here.
    uint64_t key[DJ_FAST_ACCESSES];
    uint32_t hash[DJ_FAST_ACCESSES];
    uint16_t mark[DJ_FAST_ACCESSES];      // 16 bits of the hash
    uint8_t lag[DJ_FAST_ACCESSES];        // accesses since the last one to the key, or DJ_FAST_NEW_RUN
    uint16_t run[DJ_FAST_ACCESSES];       // the run that it belongs to; not for coarser keys
    uint32_t run_point[DJ_FAST_ACCESSES]; // for a run: the point of its last access; 0: it may continue
    uint32_t slot[DJ_FAST_ACCESSES];      // in the table; only for the window and for run beginnings
    uint32_t tag[DJ_FAST_ACCESSES];       // set only if requested, like `stamp`
    uint64_t stamp[DJ_FAST_ACCESSES];
    uint32_t count;           // accesses in this chunk
    const uint64_t *upcoming; // keys of the next chunk, as far as they are known
    uint32_t upcoming_count;
    // In order: the accesses where runs begin, with their keys and lines of the table.
    uint32_t beginnings, endings;
    uint16_t beginning[DJ_FAST_BEGINNINGS];
    uint64_t beginning_key[DJ_FAST_BEGINNINGS];
    uint32_t beginning_line[DJ_FAST_BEGINNINGS];
    uint32_t missing_count, missing_found;
    uint16_t missing[DJ_FAST_BEGINNINGS];    // run beginnings whose keys are not in the first line
    uint64_t begins[DJ_FAST_CHUNK / 64 + 1]; // a bit for each access of this chunk
    // A bit for each access, including the window; the last DJ_FAST_WINDOW ones are not final.
    uint64_t ends[DJ_FAST_CHUNK / 64 + 1];
} dj_fast_chunk;

// A chunk without accesses that repeat the previous key, and buffers for its answers; see fast/fold.c.
typedef struct dj_fast_fold {
    uint64_t is_new[DJ_FAST_CHUNK / 64];  // a bit for each access that remains
    uint64_t is_last[DJ_FAST_CHUNK / 64]; // a bit for the last of consecutive accesses to one key
    uint64_t key[DJ_FAST_CHUNK + DJ_FAST_PAD];
    uint64_t distance[DJ_FAST_CHUNK + DJ_FAST_PAD];
    uint32_t tag[DJ_FAST_CHUNK + DJ_FAST_PAD], prev_tag[DJ_FAST_CHUNK + DJ_FAST_PAD];
    uint64_t time[DJ_FAST_CHUNK + DJ_FAST_PAD], prev_time[DJ_FAST_CHUNK + DJ_FAST_PAD];
} dj_fast_fold;

// The times of the last accesses in the store: lines of 16 words, in each of which `ways` words, from
// `first_time` on, are points on the timeline; 0: none (not yet, or still in the window). A slot is the
// index of its time among all words.
typedef struct dj_fast_slots {
    uint32_t *words;
    uint64_t lines;
    uint32_t ways, first_time;
    uint32_t *tag;   // by slot index; NULL unless requested, like `stamp`
    uint64_t *stamp; // the user's time
    uint64_t seed;   // of the hashes of keys
} dj_fast_slots;

typedef struct dj_fast {
    dj_work_queue answered; // must be first for dj_work_pull_at_once
    const struct dj_fast_path *path;
    const struct dj_fast_store *store;
    const struct dj_fast_finder *finder;
    dj_fast_slots slots;
    uint32_t use;
    uint64_t points_per_key;
    uint64_t accesses; // before this chunk
    uint64_t keys;     // positions of the stack: distinct keys so far, and holes (fast/operations.h)
    dj_fast_timeline timeline;
    dj_footprint footprint;
    dj_fast_chunk chunk;
    dj_fast_fold fold;
    uint32_t unfolded; // chunks since there were many repetitions
    // The same accesses with coarser keys; see fast/coarser.c. Only if lines of the store hold the
    // times of consecutive keys.
    struct dj_fast_coarser *coarser[DJ_FAST_COARSER];
    uint32_t coarser_count;
    const uint32_t *given; // for coarser keys: the points of the run beginnings, instead of a store
    struct dj_fast_operations *operations; // NULL unless requested
} dj_fast;

typedef struct dj_fast_coarser {
    dj_fast fast; // chunk, timeline and number of keys; it has no store
    uint32_t taken;
    uint32_t point[DJ_FAST_BEGINNINGS]; // of the run beginnings
    // A bit for each run beginning of the finest keys: it also begins a run here; another of the finer
    // keys made the last access; there was no earlier access.
    uint64_t begins_too[DJ_FAST_CHUNK / 64 + 2], last_by_other[DJ_FAST_CHUNK / 64 + 2],
        first[DJ_FAST_CHUNK / 64 + 2];
    uint64_t key[DJ_FAST_CHUNK + DJ_FAST_PAD];
    // A bit for each access: another of the finer keys made the last access; there was no earlier
    // access.
    uint64_t by_other[DJ_FAST_CHUNK / 64 + 1], is_cold[DJ_FAST_CHUNK / 64 + 1];
    dj_work part; // where the answers go; its keys are the finer ones
} dj_fast_coarser;

// How a key is mapped to its slot. This is the only difference between engines fast and shadow; the
// state of each begins with the dj_fast.
typedef struct dj_fast_store {
    void (*destroy)(dj_fast *fast);
    // Makes space for the keys of all run beginnings of the chunk and updates `slots`. Changes nothing
    // on failure.
    int (*reserve)(dj_fast *fast, dj_context *context);
    // Frees the slots without a time, and memory that is not needed for `room` keys. The window must be
    // empty. NULL: no key is ever lost.
    int (*forget)(dj_fast *fast, dj_context *context, uint64_t room);
    // Calls dj_fast_order_put for every slot in use.
    void (*put_all)(const dj_fast *fast, const dj_order *out);
} dj_fast_store;

// Finds the slots of the run beginnings, some at a time, so that all memory is prefetched well before
// it is read.
typedef struct dj_fast_finder {
    void (*start)(dj_fast *fast);
    // Afterwards the slots of the run beginnings before number `to` are known, and those before `ahead`
    // are being prefetched. A new key gets a slot with time 0.
    void (*find)(dj_fast *fast, uint32_t to, uint32_t ahead);
} dj_fast_finder;

// The state of engine fast.
typedef struct dj_fast_hashed {
    dj_fast fast;
    dj_fast_table table;
} dj_fast_hashed;

// The functions that depend on the instruction set. All paths return the same answers.
typedef struct dj_fast_path {
    const char *name;
    // Gathers the keys, at most DJ_FAST_CHUNK, that differ from the previous ones, and returns their
    // number.
    uint32_t (*squeeze)(dj_fast_fold *fold, const uint64_t *key, uint32_t count);
    // Distributes their distances, with 0 for the others.
    void (*spread)(const dj_fast_fold *fold, uint64_t *distance, uint32_t count);
    // Gathers the values of the last access to each key, and distributes those of the previous access.
    void (*squeeze_tags)(dj_fast_fold *fold, const uint32_t *tag, uint32_t count);
    void (*squeeze_times)(dj_fast_fold *fold, const uint64_t *time, uint32_t count);
    void (*spread_tags)(const dj_fast_fold *fold, const uint32_t *tag, uint32_t *previous, uint32_t count);
    void (*spread_times)(const dj_fast_fold *fold, const uint64_t *time, uint64_t *previous, uint32_t count);
    // Reads `chunk.count` keys: finds runs, answers all accesses that do not begin one (unless
    // `distance` is NULL), lists run beginnings and endings.
    void (*survey)(dj_fast *fast, const uint64_t *key, uint64_t *distance);
    // Answers the accesses that do not begin a run.
    void (*answer_within)(const dj_fast_chunk *chunk, uint64_t *distance);
    // Answers the run beginnings. The store must have space, and the timeline points for the endings.
    void (*answer)(dj_fast *fast, uint64_t *distance);
    // The same while there are holes, or operations between the accesses (fast/operations.h).
    void (*answer_with_holes)(dj_fast *fast, uint64_t *distance);
    // Clears a bit that is set.
    void (*remove)(const dj_fast_timeline *timeline, uint32_t point);
    // The first half of `answer`: returns the points of the run beginnings and stores their new ones,
    // counted from timeline.now on. answer_given is the other half. Of the timeline only `now` is used.
    void (*exchange_all)(dj_fast *fast, uint32_t *point);
    // Answers the run beginnings whose points are given.
    void (*answer_given)(dj_fast *fast, uint64_t *distance);
    // Finds which of the finer keys made the last access to each coarser one: as bits for all accesses
    // of the chunk, and as tags of the part. `fold` shows which accesses remain; NULL: all.
    void (*find_others)(dj_fast_coarser *coarser, const dj_fast *finer, const dj_fast *finest);
    void (*fill_tags)(const dj_fast_coarser *coarser, const dj_fast_fold *fold);
    // Replaces all times in the store by the points of their ranks and sets the bits again without
    // gaps.
    void (*compact)(dj_fast *fast);
    dj_fast_finder hashed; // for engine fast
} dj_fast_path;

// The index of a slot in the other columns, which have no gaps.
static inline size_t dj_fast_slot_index(const dj_fast_slots *slots, uint32_t slot)
{
    return (size_t)(slot / DJ_FAST_LINE_WORDS) * slots->ways + slot % DJ_FAST_LINE_WORDS - slots->first_time;
}

extern const dj_fast_path dj_fast_portable;
#if defined(__x86_64__)
extern const dj_fast_path dj_fast_avx2;
extern const dj_fast_path dj_fast_avx512;
#endif

// The next accesses of some work, at most DJ_FAST_CHUNK.
dj_work dj_fast_part_of(const dj_fast *fast, const dj_work *work, size_t from);

// Removes repetitions from a part of some work, if that pays; the part is then the rest, and must be
// unfolded after it has been answered.
bool dj_fast_fold_away(dj_fast *fast, dj_work *part);
void dj_fast_unfold(dj_fast *fast, const dj_work *whole);

// The coarser keys of a chunk: `from` is where it begins in the work; `part` is what remains without
// repetitions, if `folded`.
void dj_fast_survey_coarser(dj_fast *fast, const dj_work *work, size_t from, const dj_work *part,
                            bool folded);
void dj_fast_answer_coarser(dj_fast *fast, bool folded);
int dj_fast_coarser_create(dj_fast *fast, dj_context *context, uint32_t count);
void dj_fast_coarser_destroy(dj_fast *fast);

// After the run beginnings are answered: returns the previous tags and times and stores the new ones.
void dj_fast_exchange(dj_fast *fast, const dj_work *part);

// The last accesses become the window of the next chunk.
void dj_fast_move_window(dj_fast *fast);

// Ensures that `count` points are free: by a longer timeline, or by compaction, which replaces all
// times in the store by their ranks.
int dj_fast_reserve_points(dj_fast *fast, dj_context *context, uint64_t count);
// After many keys were removed: makes the timeline as short as it may be, by compaction.
int dj_fast_shorten(dj_fast *fast, dj_context *context);

// The path with the widest vectors that the machine supports.
const dj_fast_path *dj_fast_widest_path(void);

// Shared by both engines. `fast` is the zeroed beginning of a state of `bytes` bytes from malloc;
// destroy frees all of it.
int dj_fast_prepare(dj_fast *fast, dj_context *context, const dj_engine_params *params, size_t bytes);
void dj_fast_destroy(void *state);
int dj_fast_push(void *state, dj_context *context, dj_work *work);
int dj_fast_order(void *state, dj_context *context, dj_order *out);
void dj_fast_order_put(const dj_fast *fast, uint32_t slot, uint64_t key, const dj_order *out);
void dj_fast_stats(const void *state, dj_engine_stats *out);

// Resets engine fast to its initial state but keeps its memory.
void dj_fast_restart(dj_fast_hashed *hashed);

// Whether the key of access `i` of the window occurs again later in the window.
static inline bool dj_fast_comes_again(const dj_fast_chunk *chunk, uint32_t i)
{
    for (uint32_t later = i + 1; later < DJ_FAST_WINDOW; later++)
        if (chunk->key[later] == chunk->key[i])
            return true;
    return false;
}

#endif
