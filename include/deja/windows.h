// SPDX-License-Identifier: MIT
/// \file
/// Locality over time: the trace in consecutive windows of a fixed number of accesses or a fixed
/// duration. The stack persists from each window to the next, so the windows add up to the lane.
#ifndef DEJA_WINDOWS_H
#define DEJA_WINDOWS_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_window {
    uint64_t first;    ///< position of its first access in the trace
    uint64_t time;     ///< its start, in nanoseconds since the first access; 0 in windows of accesses
    uint64_t accesses; ///< counted by the lane
    uint64_t cold;     ///< first accesses, with respect to the complete trace
    uint64_t distinct; ///< blocks accessed in this window
    uint32_t bin_count;
    uint64_t *bins; ///< reuse distances by dj_log2_bin, up to the highest bin in use; owned
} dj_window;

/// Section `windows` of a lane, filled by observer `windows`.
typedef struct dj_windows {
    uint64_t length;   ///< accesses per window; the last may have fewer. 0: windows of time
    uint64_t duration; ///< nanoseconds per window; empty windows are left out. 0: windows of accesses
    dj_window *rows;
    size_t count;
} dj_windows;

/// NULL unless requested.
DJ_API const dj_windows *dj_lane_windows(const dj_lane_profile *lane);

/// Observer `windows`. Without options a window has 2^20 accesses.
typedef struct dj_windows_options {
    uint64_t length;   ///< accesses per window, not counting absent ones; at least 1, or 0 with a duration
    uint64_t duration; ///< nanoseconds per window; needs the column clock
} dj_windows_options;

#ifdef __cplusplus
}
#endif
#endif
