// SPDX-License-Identifier: MIT
/// \file
/// A batch: consecutive accesses of one stream, stored in columns, and the events between them. Batches
/// come from a pool and are reference-counted: to keep a batch beyond the call that passed it, take a
/// reference.
#ifndef DEJA_BATCH_H
#define DEJA_BATCH_H

#include <deja/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of accesses in a batch. The columns of a batch and of its answers fit in a
/// second-level cache together.
enum { DJ_BATCH_CAPACITY = 16384 };

enum dj_kind {
    DJ_KIND_READ = 0,
    DJ_KIND_WRITE = 1,
    DJ_KIND_MODIFY = 2, ///< a read and a write counted as one access
    DJ_KIND_FETCH = 3,  ///< an instruction fetch
    DJ_KIND_OTHER = 4,  ///< anything else (delete, trim, …); counts as an access
};

/// An event precedes an access of its batch. The meaning of `a`, `b`, `c` and `text` depends on the
/// type; unused fields are 0 and "".
enum dj_event_type {
    DJ_EVENT_MODULE = 1, ///< a = id, b = load address, c = bytes, text = path
    /// a = site id, b = module id, c = offset in the module; text = "silent" if functions there report no
    /// calls
    DJ_EVENT_SITE = 2,
    DJ_EVENT_CALL = 3,   ///< a = call site id, b = address of the callee, c = stack pointer
    DJ_EVENT_RETURN = 4, ///< c = stack pointer after the return
    DJ_EVENT_ALLOC = 5, ///< a = serial number of the heap block, b = address, c = bytes, text = name if known
    DJ_EVENT_FREE = 6,  ///< a = serial number of the heap block, b = address
    DJ_EVENT_REGION = 7, ///< a = 1 at the beginning, 0 at the end, text = name
    DJ_EVENT_THREAD = 8, ///< a = id of the thread of everything that follows, b, c = its stack, text = name
    /// a = a site of the statement, b = instance, c = enum dj_statement_source. Everything the thread
    /// does from here on belongs to that instance, which may have begun earlier.
    DJ_EVENT_STATEMENT = 9,
    /// a = accesses known to be missing here, 0 if unknown. A program that is traced in bursts: b = length of
    /// what was left out, c = length of the burst that ends here, both in units of the tracer, or 0
    DJ_EVENT_GAP = 10,
    DJ_EVENT_PASS = 11, ///< a = site, b = how often control reached it since the last such event
    /// a = id of a module whose DJ_EVENT_MODULE follows, text = identity of its file when it was loaded:
    /// "build-id:" or "xxh128:" and hexadecimal digits
    DJ_EVENT_IDENTITY = 12,
    /// The current thread synchronizes with others. a = bits of enum dj_sync, b = the object: an address, or
    /// with DJ_SYNC_THREAD the id of a thread. An acquire follows all releases of the same object that
    /// precede it in the stream, in every order in which the threads could have run.
    DJ_EVENT_SYNC = 13,
    /// a = accesses outside recorded data since the last such event, reported by annotations; they are not in
    /// the stream.
    DJ_EVENT_OUTSIDE = 14,
    /// Loops of the current thread, as far as long reuses (pairs, attribution.h) need to know them: a = a
    /// site at the header of the loop, b = its depth among the active loops of all calls, from 0 on, c = enum
    /// dj_loop_change. Every change of a loop ends all deeper ones. Between two marks of a thread, only
    /// the first change at each depth and the last ones are reported.
    DJ_EVENT_LOOP = 15,
    DJ_EVENT_LAST = DJ_EVENT_LOOP, ///< last type that can appear in a stream
    /// a = number of the input, counted from 0, text = its name. Only from sources that were asked for
    /// it; never in a stream.
    DJ_EVENT_FILE = 64,
    DJ_EVENT_ENTERED = 65, ///< a = a site of the function that was called last. Never in a stream
    /// The rate of bursts was chosen for a budget: a = the budget, in thousandths of the cost without bursts,
    /// b = the rate, in millionths, c = the length of what was not sampled, in units of the tracer. Never in
    /// a stream
    DJ_EVENT_BUDGET = 66,
    DJ_EVENT_COST = 67, ///< a = what the run has cost so far, likewise in thousandths. Never in a stream
};

/// What a synchronization does. A thread releases itself at its end, and is acquired by whoever joins it; its
/// creator releases it, and it acquires itself before its first access.
enum dj_sync {
    DJ_SYNC_ACQUIRE = 1, ///< locks, returns from a wait, joins, starts
    DJ_SYNC_RELEASE = 2, ///< unlocks, signals, arrives at a barrier, creates, ends
    DJ_SYNC_THREAD = 4,  ///< the object is a thread
};

/// What happens to a loop.
enum dj_loop_change {
    DJ_LOOP_MARK = 0, ///< nothing; no loop
    DJ_LOOP_ENTERED = 1,
    DJ_LOOP_ITERATED = 2, ///< its next iteration begins
    DJ_LOOP_LEFT = 3,     ///< whatever loop is at this depth
    DJ_LOOP_UNSURE = 4,   ///< whether iterations began there before this point is unknown
    DJ_LOOP_LOST = 5,     ///< all loops before this point are unknown, and none is known to be active
};

/// How the boundaries of a statement instance were determined.
enum dj_statement_source {
    DJ_STATEMENT_ANNOTATED = 0, ///< stated by the program
    DJ_STATEMENT_LINES = 1,     ///< from the line tables of unoptimized code
    DJ_STATEMENT_OPTIMIZED = 2, ///< from the line tables of optimized code: an approximation
    DJ_STATEMENT_OUTSIDE = 3,   ///< unknown: belongs to no instance
    DJ_STATEMENT_SOURCES = 4,   ///< number of values
};

typedef struct dj_event {
    uint32_t index; ///< precedes this access of the batch; == count: follows the last access
    uint32_t type;  ///< enum dj_event_type
    uint64_t a, b, c;
    const char *text; ///< never NULL; lives as long as the batch
} dj_event;

/// Columns other than `address` are NULL if the source does not provide them. The locator, which reads the
/// events, fills in `place`, so that an access carries everything an observer needs even if its distance
/// becomes known out of order.
typedef struct dj_columns {
    const uint64_t *address;
    const uint64_t *size;   ///< bytes (units in a format without bytes)
    const uint32_t *device; ///< block I/O: the volume; part of the key
    const uint32_t *site;   ///< id of the instruction or other origin of the access
    const uint32_t *place;  ///< id of the combination of site, calling context and data object
    /// Where in the data object the access begins: bytes from the start of the variable or of the block.
    /// DJ_NO_OFFSET in memory that has no start of its own, such as the rest of a stack frame.
    const uint64_t *offset;
    /// Which of the programs or threads that share caches made the access; only from sources that merge
    /// them (sharers.h).
    const uint32_t *sharer;
    const uint64_t *time; ///< position in the stream; NULL: first + i
    const uint8_t *kind;  ///< enum dj_kind
    /// Nanoseconds since the first access of the trace; only from sources that were asked for it.
    const uint64_t *clock;
    /// Where accesses are split at block boundaries: 1 for every piece of an access but its first.
    /// NULL: no access was split.
    const uint8_t *continuation;
} dj_columns;

typedef struct dj_batch {
    dj_columns column;
    uint64_t first; ///< position of access 0 in the stream
    uint32_t count;
    uint32_t event_count;
    const dj_event *events; ///< ordered by index
} dj_batch;

#define DJ_NO_OFFSET UINT64_MAX

/// Sets of columns: what a source provides, what an observer needs.
enum dj_column_bit {
    DJ_COLUMN_SIZE = 1u << 0,
    DJ_COLUMN_DEVICE = 1u << 1,
    DJ_COLUMN_SITE = 1u << 2,
    DJ_COLUMN_PLACE = 1u << 3,
    DJ_COLUMN_SHARER = 1u << 4,
    DJ_COLUMN_TIME = 1u << 5,
    DJ_COLUMN_KIND = 1u << 6,
    DJ_COLUMN_CLOCK = 1u << 7,
    DJ_COLUMN_OFFSET = 1u << 10,
    // Sources only; reported as events:
    DJ_COLUMN_THREAD = 1u << 8,
    DJ_COLUMN_FILE = 1u << 9,
};

DJ_API void dj_batch_retain(dj_batch *batch);
DJ_API void dj_batch_release(dj_batch *batch); ///< NULL is allowed

/// The writable columns of a pooled batch. A writer fills them and calls dj_batch_set_columns, or
/// points `batch->column` at memory that outlives the batch (owned by the source).
typedef struct dj_batch_buffers {
    uint64_t *address, *size, *time, *clock, *offset;
    uint32_t *device, *site, *place, *sharer;
    uint8_t *kind, *continuation;
} dj_batch_buffers;

DJ_API dj_batch_buffers dj_batch_writable(dj_batch *batch);

/// Points the columns in `columns` (bits of dj_column_bit; address always) at the batch's own buffers
/// and sets the others, and `continuation`, to NULL.
DJ_API void dj_batch_set_columns(dj_batch *batch, uint32_t columns);
DJ_API uint32_t dj_batch_columns(const dj_batch *batch);

/// Appends an event and copies its text. Occasionally allocates memory.
DJ_API int dj_batch_add_event(dj_context *context, dj_batch *batch, const dj_event *event);

/// Copies access `from_index` of `from` to position `to_index` of the buffers of `to`. Columns that
/// `from` lacks are not changed.
DJ_API void dj_batch_copy_access(dj_batch *to, uint32_t to_index, const dj_batch *from, uint32_t from_index);

/// Position of access `index` in the stream.
static inline uint64_t dj_batch_time(const dj_batch *batch, uint32_t index)
{
    return batch->column.time ? batch->column.time[index] : batch->first + index;
}

typedef struct dj_pool dj_pool;

/// A pool must outlive its batches. Any thread may take and release them.
DJ_API int dj_pool_create(dj_context *context, dj_pool **out);
DJ_API void dj_pool_destroy(dj_pool *pool);
/// An empty batch (count 0, no columns, no events) with one reference.
DJ_API int dj_pool_take(dj_context *context, dj_pool *pool, dj_batch **out);

#ifdef __cplusplus
}
#endif
#endif
