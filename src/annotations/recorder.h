// SPDX-License-Identifier: MIT
// Shared by the files of the recorder: the state of one process, and the threads that call it.
#ifndef DEJA_ANNOTATIONS_RECORDER_H
#define DEJA_ANNOTATIONS_RECORDER_H

#include <stdatomic.h>

#include "annotations/analysis.h"
#include "annotations/records.h"
#include "live/sites.h"

// Who may enter. The first calling thread owns the recorder and needs no lock until there is a second one, if
// the kernel has barriers for that.
enum dj_recorder_mode { DJ_MODE_OWNED, DJ_MODE_SHARED, DJ_MODE_OFF };

enum dj_call_type {
    DJ_CALL_DATA,
    DJ_CALL_PARTIAL,
    DJ_CALL_ACCESS,
    DJ_CALL_FORGET,
    DJ_CALL_STATEMENT,
    DJ_CALL_REGION,
    DJ_CALL_THREAD_NAME,
};

// One call of the program.
typedef struct dj_call {
    enum dj_call_type type;
    int kind; // of an access; for a region, whether it begins
    uint64_t a, b, c;
    uint64_t pc; // return address
    const char *text;
} dj_call;

enum { DJ_DEFERRED_CALLS = 64, DJ_DEFERRED_NAME = 64 };

// Calls of a signal handler that interrupted the recorder; they are executed when it finishes.
typedef struct dj_deferred_calls {
    dj_call call[DJ_DEFERRED_CALLS];
    char text[DJ_DEFERRED_CALLS][DJ_DEFERRED_NAME];
    atomic_uint count;
} dj_deferred_calls;

typedef struct dj_caller {
    atomic_bool inside; // this thread is in the recorder
    uint32_t id;
    dj_deferred_calls deferred;
} dj_caller;

typedef struct dj_recorder_state {
    char *path;    // DEJA_RECORD
    char *options; // DEJA_RECORD_OPTIONS, split in place
    dj_analysis_config config;
    dj_context *context;
    dj_channel *channel;
    dj_analysis *analysis;
    dj_records records;
    dj_live_sites sites;
    dj_batch *batch; // being filled; NULL: none yet
    dj_batch_buffers into;
    atomic_bool flush_requested; // the analysis waits for the contents of the batch
    uint32_t thread;             // of the last call
    _Atomic uint64_t outside;    // accesses outside recorded data that no event has reported yet
    uint64_t statements;         // instances that have begun
    atomic_bool lost;            // calls of a thread, for lack of memory
    int err;                     // the recorder has stopped, with a message in the context
} dj_recorder_state;

// Fast path for an access by the thread of the last call, to data that shares its memory with no other
// record, from a known site; false: nothing was done.
static inline bool dj_recorder_access(dj_recorder_state *s, const dj_caller *caller, uint64_t base,
                                      uint64_t element, int kind, uint64_t pc)
{
    const dj_record *record = s->records.entries ? dj_records_find(&s->records, base) : NULL;
    uint64_t offset = record ? element - record->base : 0;
    if (!record || offset >= record->bytes || record->cells || s->thread != caller->id || !s->batch ||
        s->batch->count >= DJ_BATCH_CAPACITY - 1 ||
        atomic_load_explicit(&s->flush_requested, memory_order_relaxed))
        return false;
    const dj_cached_site *slot = dj_live_sites_slot(&s->sites, pc);
    if (slot->key != DJ_DIRECT_RECORD(DJ_DIRECT_ACCESS, DJ_DIRECT_PC(pc)))
        return false;
    uint32_t at = s->batch->count;
    s->into.address[at] = record->first + dj_record_index(record, offset);
    s->into.site[at] = slot->site;
    s->into.kind[at] = (uint8_t)kind;
    s->batch->count = at + 1;
    return true;
}

// Executes a call; no other thread may be inside. After an error nothing more is recorded.
int dj_recorder_do(dj_recorder_state *state, dj_caller *caller, const dj_call *call);
// Completes the current batch, if there is one, before it is handed over.
int dj_recorder_seal(dj_recorder_state *state);
// Replaces a full batch by an empty one.
int dj_recorder_swap(dj_recorder_state *state);

// Reads the environment; false: do not record.
bool dj_recorder_configure(dj_recorder_state *state);
// Starts the analysis.
int dj_recorder_begin(dj_recorder_state *state);
// Waits for the analysis and frees everything. Prints to standard error if there is no profile.
void dj_recorder_end(dj_recorder_state *state);

// Reports object files loaded since the last call.
int dj_recorder_modules(dj_recorder_state *state);

#endif
