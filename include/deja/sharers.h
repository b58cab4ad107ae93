// SPDX-License-Identifier: MIT
/// \file
/// Programs and threads that share caches: merges their accesses into one source, which names the order.
#ifndef DEJA_SHARERS_H
#define DEJA_SHARERS_H

#include <deja/source.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Programs or threads in one merged source. At most 1024 of them can have private caches, which observer
/// `sharing` measures (DJ_ERR_UNSUPPORTED).
enum { DJ_SHARERS_MOST = 65535 };

enum dj_interleaving {
    /// In proportion to the speeds: the n-th access of a sharer, counted from 1, happens at time n / speed.
    /// At the same time, the first sharer is first. The proportions of fractions such as 1/3, 0.1 and 2.5 are
    /// exact; other speeds are rounded to 2^-40 of the largest.
    DJ_INTERLEAVE_SPEEDS,
    /// Each next access is by sharer i with probability speed i / sum of speeds. When a sharer is drawn that
    /// has ended, it is left out from then on, and another one is drawn.
    DJ_INTERLEAVE_RANDOM,
    DJ_INTERLEAVE_RECORDED, ///< threads of one trace: in the order of the trace
    /// Threads of one trace, in turns that respect what they wait for. At each turn, one of the threads that
    /// can run is drawn, with a probability in proportion to its speed. It makes `quantum` accesses, fewer if
    /// it must wait or ends. A thread must wait if its next access follows one that has not been made:
    /// - An acquire (DJ_EVENT_SYNC) follows all releases of the same object that precede it in the trace, and
    ///   all that precedes them in their threads. Allocating an address acquires it, freeing releases it.
    /// - A read follows the last write that precedes it in the trace, of each 4-byte word, if another thread
    ///   made it. Everything but DJ_KIND_WRITE reads; DJ_KIND_WRITE and DJ_KIND_MODIFY write. In block I/O a
    ///   word has 512 bytes; in traces of keys it is the key. Of an access to more than 16384 words, the
    ///   first 16384 count. Words in the data of the C library and the loader order nothing: they synchronize
    ///   their own accesses, and what they do for threads is recorded as DJ_EVENT_SYNC.
    ///
    /// A draw takes a random number below the sum of the speeds of the threads that can run, scaled to the
    /// smallest integers; it falls to the first thread with which their sum, in the order of their numbers,
    /// exceeds it. The accesses are those of the recorded run, spinning included; only their order varies. At
    /// most 4096 threads.
    DJ_INTERLEAVE_SCHEDULE,
};

/// Accesses of a turn, unless the options say otherwise.
enum { DJ_QUANTUM_DEFAULT = 64 };

typedef struct dj_interleave_options {
    enum dj_interleaving order;
    const double *speeds; ///< accesses per unit of time of each sharer, positive; NULL: all equal
    size_t speed_count;   ///< must be the number of sharers, unless speeds is NULL
    uint64_t seed;
    uint64_t quantum; ///< accesses of a turn of a schedule; 0: DJ_QUANTUM_DEFAULT
    /// Separate address spaces: equal addresses of different sharers are different data. Device d of sharer i
    /// becomes device d · number of sharers + i. Keys that leave no room for the device are renumbered.
    bool separate;
} dj_interleave_options;

/// Instead of a thread's number: accesses before the first thread event.
#define DJ_NO_THREAD UINT64_MAX

/// A source, or a thread of one. Threads come in the order of their numbers; accesses without a thread come
/// first. While a source is read in the recorded order, they come in the order of their first accesses.
typedef struct dj_sharer {
    uint64_t thread; ///< as the trace numbers it, or DJ_NO_THREAD; 0: a source
    char *name;      ///< of the file or thread; "" if it has none
    double speed;    ///< 0: the order is the recorded one
    uint64_t accesses;
    uint64_t chosen;    ///< of a schedule: accesses made while another thread could have run, too
    bool kinds_unknown; ///< a source that does not say which accesses write; they count as reads
} dj_sharer;

/// Merges several sources; sharer i is sources[i]. All must have addresses of the same kind and unit, and at
/// least one access. When one ends, the others continue in the same proportion. Column `sharer` is set,
/// device if all sources have it, size and kind if any has them. An access of a source without sizes has
/// size 0 (unknown) and touches one block; one of a source without kinds is a read. Sites, places, times and
/// events of different programs are not comparable and are dropped. NULL options: by speeds, all equal.
/// Closes the sources, also after an error.
DJ_API int dj_source_interleave(dj_context *context, dj_source *const *sources, size_t count,
                                const dj_interleave_options *options, dj_source **out);

/// Whether the addresses of two sources are of the same kind and unit; DJ_ERR_INPUT with the reason if not.
DJ_API int dj_source_check_alike(dj_context *context, const dj_source *a, const dj_source *b);

/// Merges the threads of one source. Accesses before the first thread event are those of a sharer with the
/// name of the source; so a source that records no threads is one sharer. In the recorded order, batches pass
/// through with all columns and events; `sharer` is added. In another order, the source is read to its end by
/// this call, and its threads are stored (dj_stored_threads_read); so locate the accesses before. Threads
/// share their addresses: `separate` is refused. NULL options: in the recorded order. Closes the source, also
/// after an error.
DJ_API int dj_source_interleave_threads(dj_context *context, dj_source *source,
                                        const dj_interleave_options *options, dj_source **out);

/// Called while threads are stored, with what has been read so far.
typedef struct dj_store_progress {
    void (*report)(void *user, const dj_progress *progress, uint64_t accesses);
    void *user;
} dj_store_progress;

/// The threads of one trace, stored separately, to be merged in several orders.
typedef struct dj_stored_threads dj_stored_threads;

/// Reads a source to its end. Its threads are stored in an unnamed file in $TMPDIR or /tmp; only address,
/// size, device, kind, site and place remain. Two orders need more, and are possible only if they are
/// `order`: the recorded one needs the turns of the threads, and DJ_INTERLEAVE_SCHEDULE what they wait for.
/// That takes 8 bytes of memory for each 4-byte word of every 64-byte block that is written to. After bad
/// input, what precedes it is stored, and sources of these threads end with the same error. The caller keeps
/// the source.
DJ_API int dj_stored_threads_read(dj_context *context, dj_source *source, enum dj_interleaving order,
                                  const dj_store_progress *progress, dj_stored_threads **out);
/// Merges them. The new source may outlive `threads`; only one of the sources may be read at a time.
DJ_API int dj_stored_threads_open(dj_context *context, dj_stored_threads *threads,
                                  const dj_interleave_options *options, dj_source **out);
/// How often a thread waits for another one; 0 unless they were stored for schedules. What earlier waits
/// imply is not counted.
DJ_API uint64_t dj_stored_threads_waits(const dj_stored_threads *threads);
DJ_API void dj_stored_threads_release(dj_stored_threads *threads); ///< NULL is allowed

/// Describes an order of traces, or of the threads of one, in words, such as "random, seed 1, speeds equal".
DJ_API void dj_interleave_describe(const dj_interleave_options *options, bool threads, char *text,
                                   size_t capacity);

/// The sharers of a source made by any of these functions; NULL for other sources. The list, and the accesses
/// in it, grow while the source is read; it is valid until the next batch.
DJ_API const dj_sharer *dj_source_sharers(const dj_source *source, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
