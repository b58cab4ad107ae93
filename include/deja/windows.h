// SPDX-License-Identifier: MIT
/// \file
/// What becomes of locality over time: the trace in windows of so many accesses, or of so long a time, one
/// after the other. The stack is carried over from each window to the next, so the windows add up to the
/// lane.
#ifndef DEJA_WINDOWS_H
#define DEJA_WINDOWS_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_window {
    uint64_t first; ///< position in the trace of its first access
    uint64_t time;  ///< nanoseconds from the first access of the trace to its begin; 0 in windows of accesses
    uint64_t accesses; ///< that the lane counts
    uint64_t cold;     ///< first accesses of the whole trace
    uint64_t distinct; ///< blocks that were accessed in this window
    uint32_t bin_count;
    uint64_t *bins; ///< of the reuse distances by dj_log2_bin, up to the highest in use; owned
} dj_window;

/// Section `windows` of a lane, filled by observer `windows`.
typedef struct dj_windows {
    uint64_t length;   ///< accesses of each; the last may have fewer. 0: windows of time
    uint64_t duration; ///< nanoseconds of each; those without an access are left out. 0: windows of accesses
    dj_window *rows;
    size_t count;
} dj_windows;

/// NULL unless asked for.
DJ_API const dj_windows *dj_lane_windows(const dj_lane_profile *lane);

/// Observer `windows`. Without options a window has 2^20 accesses.
typedef struct dj_windows_options {
    uint64_t length;   ///< accesses of each window, absent ones apart; at least 1, or 0 with a duration
    uint64_t duration; ///< nanoseconds of each window; needs the column clock
} dj_windows_options;

#ifdef __cplusplus
}
#endif
#endif
