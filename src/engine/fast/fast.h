// SPDX-License-Identifier: MIT
// Engine fast, seen from its own files. See fast.c for the idea.
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
    DJ_FAST_TOGETHER = 16, // beginnings that are answered together
    DJ_FAST_COARSER = 4,   // 2^4 keys share a line of times
    DJ_FAST_PAD = 64,      // vector instructions read and write so far behind the end
    DJ_FAST_ACCESSES = DJ_FAST_WINDOW + DJ_FAST_CHUNK + DJ_FAST_PAD,
    DJ_FAST_BEGINNINGS = DJ_FAST_CHUNK + DJ_FAST_AHEAD + DJ_FAST_PAD,
};

// The accesses that are being worked on. Accesses to one key, each within
// the window of the one before, are a run: only its first access needs the
// table, and only its last one a point on the timeline.
typedef struct dj_fast_chunk {
    // One for each access: first the window, which holds the last accesses of
    // the chunk before, then those of this chunk. A run has the number of its
    // first access here.
    uint64_t key[DJ_FAST_ACCESSES];
    uint32_t hash[DJ_FAST_ACCESSES];
    uint16_t mark[DJ_FAST_ACCESSES];      // 16 bits of the hash
    uint8_t lag[DJ_FAST_ACCESSES];        // accesses since the last one to the key, or DJ_FAST_NEW_RUN
    uint16_t run[DJ_FAST_ACCESSES];       // the run that it belongs to; not of coarser keys
    uint32_t run_point[DJ_FAST_ACCESSES]; // of a run: the point of its last access; 0: it may go on
    uint32_t slot[DJ_FAST_ACCESSES];      // in the table; of the window and of beginnings alone
    uint32_t tag[DJ_FAST_ACCESSES];       // set when asked for, as below
    uint64_t stamp[DJ_FAST_ACCESSES];
    uint32_t count;           // accesses in this chunk
    const uint64_t *upcoming; // keys of the next chunk, as far as they are known
    uint32_t upcoming_count;
    // In order: the accesses where runs begin, with key and line of the table.
    uint32_t beginnings, endings;
    uint16_t beginning[DJ_FAST_BEGINNINGS];
    uint64_t beginning_key[DJ_FAST_BEGINNINGS];
    uint32_t beginning_line[DJ_FAST_BEGINNINGS];
    uint32_t missing_count, missing_found;
    uint16_t missing[DJ_FAST_BEGINNINGS];    // beginnings whose keys are not in the first line
    uint64_t begins[DJ_FAST_CHUNK / 64 + 1]; // a bit for each access of this chunk
    uint64_t ends[DJ_FAST_CHUNK / 64 + 1];   // a bit for each access from the window's first on; the last
                                             // ones, as many as the window has, may still go on
} dj_fast_chunk;

// A chunk without the accesses to the same key as the one before, and room for
// its answers; see fast/fold.c.
typedef struct dj_fast_fold {
    uint64_t is_new[DJ_FAST_CHUNK / 64];  // a bit for each access that is left
    uint64_t is_last[DJ_FAST_CHUNK / 64]; // for the last of those to one key in a row
    uint64_t key[DJ_FAST_CHUNK + DJ_FAST_PAD];
    uint64_t distance[DJ_FAST_CHUNK + DJ_FAST_PAD];
    uint32_t tag[DJ_FAST_CHUNK + DJ_FAST_PAD], prev_tag[DJ_FAST_CHUNK + DJ_FAST_PAD];
    uint64_t time[DJ_FAST_CHUNK + DJ_FAST_PAD], prev_time[DJ_FAST_CHUNK + DJ_FAST_PAD];
} dj_fast_fold;

// The times of the last accesses, as the store has them: lines of 16 words, in
// each of which `ways` words, from `first_time` on, are points on the timeline;
// 0: not there (yet, or while in the window). A slot is the number of its time
// among all words.
typedef struct dj_fast_slots {
    uint32_t *words;
    uint64_t lines;
    uint32_t ways, first_time;
    uint32_t *tag;   // by slot index; NULL unless asked for, as below
    uint64_t *stamp; // the user's time
    uint64_t seed;   // of the hashes of keys
} dj_fast_slots;

typedef struct dj_fast {
    dj_work_queue answered; // first, as dj_work_pull_at_once asks
    const struct dj_fast_path *path;
    const struct dj_fast_store *store;
    const struct dj_fast_finder *finder;
    dj_fast_slots slots;
    uint32_t use;
    uint64_t points_per_key;
    uint64_t accesses; // before this chunk
    uint64_t keys;     // distinct, seen so far
    dj_fast_timeline timeline;
    dj_footprint footprint;
    dj_fast_chunk chunk;
    dj_fast_fold fold;
    uint32_t unfolded; // chunks since there were many repetitions
    // The same accesses by coarser keys; see fast/coarser.c. Only where lines of the store hold
    // the times of consecutive keys.
    struct dj_fast_coarser *coarser[DJ_FAST_COARSER];
    uint32_t coarser_count;
    const uint32_t *given; // of coarser keys: the points of the beginnings, in place of a store
} dj_fast;

typedef struct dj_fast_coarser {
    dj_fast fast; // chunk, timeline and number of keys; there is no store
    uint32_t taken;
    uint32_t point[DJ_FAST_BEGINNINGS]; // of the beginnings
    // A bit for each beginning of the finest keys: it begins a run here, too; the last access was by
    // another of the finer keys; there was none.
    uint64_t begins_too[DJ_FAST_CHUNK / 64 + 2], last_by_other[DJ_FAST_CHUNK / 64 + 2],
        first[DJ_FAST_CHUNK / 64 + 2];
    uint64_t key[DJ_FAST_CHUNK + DJ_FAST_PAD];
    // A bit for each access: the last one was by another of the finer keys; there was none.
    uint64_t by_other[DJ_FAST_CHUNK / 64 + 1], is_cold[DJ_FAST_CHUNK / 64 + 1];
    dj_work part; // where the answers go; its keys are the finer ones
} dj_fast_coarser;

// How a key leads to its slot. Engines fast and shadow differ in this alone;
// the state of each begins with the dj_fast.
typedef struct dj_fast_store {
    void (*destroy)(dj_fast *fast);
    // Room for the keys of all beginnings of the chunk; sets `slots` anew. On
    // failure all is as it was.
    int (*make_room)(dj_fast *fast, dj_context *context);
    // Calls dj_fast_order_put for every slot that is in use.
    void (*put_all)(const dj_fast *fast, const dj_order *out);
} dj_fast_store;

// Finds the slots of the beginnings, some at a time, so that each part of the
// memory has been asked for well before it is read.
typedef struct dj_fast_finder {
    void (*start)(dj_fast *fast);
    // Afterwards the slots of the beginnings before number `to` are known, and
    // those before `ahead` are being looked for. A key that is new gets a slot
    // with time 0.
    void (*find)(dj_fast *fast, uint32_t to, uint32_t ahead);
} dj_fast_finder;

// The state of engine fast.
typedef struct dj_fast_hashed {
    dj_fast fast;
    dj_fast_table table;
} dj_fast_hashed;

// The parts that depend on the instructions of the machine. All give the same
// answers.
typedef struct dj_fast_path {
    const char *name;
    // Gathers the keys, of DJ_FAST_CHUNK at most, that differ from those before
    // them, and tells how many do.
    uint32_t (*squeeze)(dj_fast_fold *fold, const uint64_t *key, uint32_t count);
    // Spreads their distances, with 0 for the other ones.
    void (*spread)(const dj_fast_fold *fold, uint64_t *distance, uint32_t count);
    // Gathers what the last ones of each key bring, and spreads what belongs to the previous access.
    void (*squeeze_tags)(dj_fast_fold *fold, const uint32_t *tag, uint32_t count);
    void (*squeeze_times)(dj_fast_fold *fold, const uint64_t *time, uint32_t count);
    void (*spread_tags)(const dj_fast_fold *fold, const uint32_t *tag, uint32_t *previous, uint32_t count);
    void (*spread_times)(const dj_fast_fold *fold, const uint64_t *time, uint64_t *previous, uint32_t count);
    // Takes in `chunk.count` keys: finds runs, answers all accesses that do
    // not begin one (unless `distance` is NULL), lists beginnings and endings.
    void (*survey)(dj_fast *fast, const uint64_t *key, uint64_t *distance);
    // Answers those that do not begin a run.
    void (*answer_within)(const dj_fast_chunk *chunk, uint64_t *distance);
    // Answers the beginnings. There must be room in the store and points for the endings.
    void (*answer)(dj_fast *fast, uint64_t *distance);
    // The first half of that: the points of the beginnings, which get their new ones, given out from
    // timeline.now on; answer_given is the other one. Needs no timeline but that.
    void (*exchange_all)(dj_fast *fast, uint32_t *point);
    // Answers the beginnings whose points are given.
    void (*answer_given)(dj_fast *fast, uint64_t *distance);
    // By which of the finer keys the last accesses to coarser ones were: as bits of all accesses of
    // the chunk, and as tags of the part; `fold` tells which are left of it, NULL: all.
    void (*find_others)(dj_fast_coarser *coarser, const dj_fast *finer, const dj_fast *finest);
    void (*fill_tags)(const dj_fast_coarser *coarser, const dj_fast_fold *fold);
    // Replaces all times in the store by the points of their ranks and sets the
    // bits anew, without gaps.
    void (*compact)(dj_fast *fast);
    dj_fast_finder hashed; // of engine fast
} dj_fast_path;

// For the columns beside the times: slots without gaps.
static inline size_t dj_fast_slot_index(const dj_fast_slots *slots, uint32_t slot)
{
    return (size_t)(slot / DJ_FAST_LINE_WORDS) * slots->ways + slot % DJ_FAST_LINE_WORDS - slots->first_time;
}

extern const dj_fast_path dj_fast_portable;
#if defined(__x86_64__)
extern const dj_fast_path dj_fast_avx2;
extern const dj_fast_path dj_fast_avx512;
#endif

// The next accesses of some work, of DJ_FAST_CHUNK at most.
dj_work dj_fast_part_of(const dj_fast *fast, const dj_work *work, size_t from);

// Leaves repetitions out of a part of some work, if that pays; the part is then
// what is left, and has to be unfolded when it is answered.
bool dj_fast_fold_away(dj_fast *fast, dj_work *part);
void dj_fast_unfold(dj_fast *fast, const dj_work *whole);

// The coarser keys of a chunk: `from` is where it begins in the work; `part` is
// what is left of it when repetitions were left out, which is so if `folded`.
void dj_fast_survey_coarser(dj_fast *fast, const dj_work *work, size_t from, const dj_work *part,
                            bool folded);
void dj_fast_answer_coarser(dj_fast *fast, bool folded);
int dj_fast_coarser_create(dj_fast *fast, dj_context *context, uint32_t count);
void dj_fast_coarser_destroy(dj_fast *fast);

// Gives back and remembers what was asked for besides distances, once the
// beginnings are answered.
void dj_fast_exchange(dj_fast *fast, const dj_work *part);

// The last accesses become the window of the next chunk.
void dj_fast_move_window(dj_fast *fast);

// Makes sure that `count` points can be given out: by a longer timeline, or
// by compaction, which replaces all times in the store by their ranks.
int dj_fast_make_room(dj_fast *fast, dj_context *context, uint64_t count);

// The widest path that the machine has.
const dj_fast_path *dj_fast_widest_path(void);

// What both engines do alike. `fast` is the zeroed beginning of a state of
// `bytes` bytes from malloc; destroy frees all of it.
int dj_fast_prepare(dj_fast *fast, dj_context *context, const dj_engine_params *params, size_t bytes);
void dj_fast_destroy(void *state);
int dj_fast_push(void *state, dj_context *context, dj_work *work);
int dj_fast_order(void *state, dj_context *context, dj_order *out);
void dj_fast_order_put(const dj_fast *fast, uint32_t slot, uint64_t key, const dj_order *out);
void dj_fast_stats(const void *state, dj_engine_stats *out);

// Engine fast as it was when it was made, but for the memory that it holds.
void dj_fast_restart(dj_fast_hashed *hashed);

// Whether the key of access `i` of the window stands there again, later.
static inline bool dj_fast_comes_again(const dj_fast_chunk *chunk, uint32_t i)
{
    for (uint32_t later = i + 1; later < DJ_FAST_WINDOW; later++)
        if (chunk->key[later] == chunk->key[i])
            return true;
    return false;
}

#endif
