// SPDX-License-Identifier: MIT
// Internals of the search for phases.
#ifndef DEJA_MODEL_PHASES_PHASES_H
#define DEJA_MODEL_PHASES_PHASES_H

#include <deja/phases.h>

#include <math.h>

// Working sets of a similar size differ by at most this factor.
#define DJ_PHASE_FACTOR 1.25
// Similar histograms differ in at most this share of the accesses.
#define DJ_PHASE_DIFFERENT 0.1

// The lowest and highest distance of a bin of dj_log2_bin, as numbers that cannot overflow.
static inline double dj_bin_low(unsigned bin)
{
    return bin < 2 ? bin : (double)(UINT64_C(1) << (bin - 1));
}
static inline double dj_bin_high(unsigned bin)
{
    return bin < 2 ? bin : 2 * dj_bin_low(bin) - 1;
}

enum { DJ_TRAIL_RECENT = 4 };

// What a stretch has seen so far.
typedef struct dj_trail {
    size_t windows;
    double known;                       // blocks accessed in it
    double accesses, distinct, squares; // sums of its windows
    double fresh[DJ_TRAIL_RECENT];      // shares of new data of the last windows but the first
    double counts[DJ_PHASE_SIZES];      // reuses in each bin, of the windows after the first that show it …
    double shown[DJ_PHASE_SIZES];       // … and all accesses of these
} dj_trail;

// Adds the next window, with the number of accesses to data that are new to the stretch.
void dj_trail_add(dj_trail *trail, const dj_window *window, double fresh);

// Divides the windows into stretches, which all have phase 0. `fresh` has for each window the accesses to
// data that its stretch has not accessed before. Both have room for each window.
void dj_stretches_find(const dj_windows *windows, dj_stretch *out, size_t *count, double *fresh);

// Assigns phases to stretches by their signatures, and sets phase_count.
int dj_stretches_compare(dj_context *context, const dj_windows *windows, const double *fresh,
                         dj_phase_list *list);

// The reuses of a window without its `longest` accesses with the longest distances, first accesses included.
void dj_window_trim(const dj_window *window, double longest, double out[DJ_PHASE_SIZES]);

// Histograms of shares that are compared bin by bin; what is in no bin counts as one more.
typedef struct dj_bin_difference {
    double sum, rest, noise;
} dj_bin_difference;

// A bin with a count out of `all` accesses on either side; both are above 0.
static inline void dj_bins_compare(dj_bin_difference *d, double a, double all_a, double b, double all_b)
{
    const double both = (a + b) / (all_a + all_b);
    d->sum += fabs(a / all_a - b / all_b);
    d->rest += a / all_a - b / all_b;
    d->noise += sqrt(both * fmax(0, 1 - both) * (1 / all_a + 1 / all_b));
}

// The share of the accesses in other bins beyond what chance explains: the expected difference of two samples
// of one distribution is about 0.4 times the sum of the deviations of the bins, and its deviation at most
// that of half the square root of 1 / a + 1 / b.
static inline double dj_bins_difference(const dj_bin_difference *d, double all_a, double all_b)
{
    return 0.5 * (d->sum + fabs(d->rest)) - 0.4 * d->noise - 2.5 * sqrt(1 / all_a + 1 / all_b);
}

// Whether the larger of two counts of blocks exceeds the other by more than DJ_PHASE_FACTOR and the noise.
bool dj_sizes_differ(double a, double b, double noise);

#endif
