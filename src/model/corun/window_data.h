// SPDX-License-Identifier: MIT
// How many distinct data a window of a sharer's trace has.
#ifndef DEJA_MODEL_CORUN_WINDOW_DATA_H
#define DEJA_MODEL_CORUN_WINDOW_DATA_H

#include <deja/joint.h>

// Times without an access to some datum: before its first access, after its last one, and between two. A
// window of Δ accesses misses the datum if it fits into such a gap of x - 1 accesses, x > Δ.
enum { DJ_WINDOW_SHORT = 4096, DJ_WINDOW_BITS = 4 };

typedef struct dj_window_data {
    double accesses, data;
    size_t gap_count;
    uint64_t *gaps;                   // increasing
    double *gaps_from, *lengths_from; // number and sum of the gaps from each on; 0 at the end
    size_t first_count;
    uint64_t *firsts;   // times of first accesses, increasing
    double *first_data; // data accessed up to each of them
    double *short_mean; // of windows of fewer than DJ_WINDOW_SHORT accesses
    double *bin_time;   // mean of the time distances in each bin of cells
    const dj_joint_window *windows;
    size_t window_count; // of which there are enough for a variance
    // Instead, if only windows that end in phases of one kind count: their mean for the lowest length of each
    // bin, and how much it varies with their position. Otherwise NULL.
    double *phase_mean, *phase_variance;
    size_t phase_bins;
} dj_window_data;

int dj_window_data_create(dj_context *context, const dj_joint_sharer *sharer, dj_window_data *out);
void dj_window_data_free(dj_window_data *distinct);

// Over all windows of `length` accesses; linear between integers.
double dj_window_data_mean(const dj_window_data *distinct, double length);
// Data that were accessed up to a time, which is counted from 1.
double dj_window_data_seen(const dj_window_data *data, double time);
// Estimated from the windows in the profile.
double dj_window_data_variance(const dj_window_data *distinct, double length);

#endif
