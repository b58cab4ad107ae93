// SPDX-License-Identifier: MIT
/// \file
/// The parts of a trace or a run: phases, in which the working set stays the same, found from the windows of
/// a lane; and the best cache size for each.
#ifndef DEJA_PHASES_H
#define DEJA_PHASES_H

#include <deja/windows.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sizes are powers of two, since windows have distances in such bins.
enum { DJ_PHASE_SIZES = 65, DJ_PHASES_MOST = 64 };

/// A size is the best if no larger cache has a miss ratio that is lower by more than this.
#define DJ_PHASE_TOLERANCE 0.01

/// Consecutive windows of one phase.
typedef struct dj_stretch {
    size_t first, count; ///< windows
    size_t entering;     ///< of these, the first ones, which bring in the data of the phase; at least 1
    size_t phase;        ///< index of the phase
    uint64_t accesses;
    uint64_t cold; ///< first accesses in the trace
} dj_stretch;

/// Stretches with the same signature: similar reuse distances, and working sets of a similar size. Whether
/// they access the same data is not known.
typedef struct dj_locality_phase {
    size_t stretches, windows;
    uint64_t accesses, cold;
    double distinct; ///< blocks accessed in a window, mean
    /// Of the accesses in `settled` windows: the share that misses in an LRU cache of 2^k blocks whose
    /// content is kept from the beginning of the stretch on. Settled are the windows after the entering ones
    /// or, if all stretches end with these, all windows.
    double ratio[DJ_PHASE_SIZES];
    double least; ///< the share that misses in a cache of any size: the first accesses of the stretch
    size_t settled;
    uint64_t best; ///< smallest power of two whose ratio is at most `least` + DJ_PHASE_TOLERANCE; 0: no size
                   ///< is better than none by more than that
    double best_ratio; ///< at that size; 1 if there is none
} dj_locality_phase;

typedef struct dj_phase_list {
    dj_stretch *stretches; ///< in order; together they have all windows
    size_t stretch_count;
    dj_locality_phase *phases; ///< in the order of their first stretches; at most DJ_PHASES_MOST
    size_t phase_count;
} dj_phase_list;

/// Finds the phases. The working set changes where a window has more than a quarter more or less distinct
/// data than the phase so far, where its data are new to the phase though they were known before, or where
/// its reuse distances differ in more than a tenth of the accesses; each by more than chance explains. Any
/// windows give a result; without windows there is no phase. Free it with dj_phase_list_free.
DJ_API int dj_phases_find(dj_context *context, const dj_windows *windows, dj_phase_list *out);
DJ_API void dj_phase_list_free(dj_phase_list *list);

/// Which phases of two runs correspond: they do in the order in which they first occur. Where one run has
/// more phases than the other, those that are most alike in their distinct data and miss ratios. `match` has
/// an element for each phase before: the index of the one after, or SIZE_MAX.
DJ_API void dj_phases_match(const dj_phase_list *before, const dj_phase_list *after, size_t *match);

/// Misses of a window in an LRU cache of 2^k blocks whose content is kept from window to window; exact.
DJ_API uint64_t dj_window_misses(const dj_window *window, unsigned k);

#ifdef __cplusplus
}
#endif
#endif
