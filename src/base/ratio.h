// SPDX-License-Identifier: MIT
// The error of a ratio of two sums over independent parts of a sample, such as bursts: misses to accesses,
// effective reuses to reuses.
#ifndef DEJA_BASE_RATIO_H
#define DEJA_BASE_RATIO_H

// Sums over the parts.
typedef struct dj_ratio_sums {
    double squares;  // of the numerators
    double products; // of numerators and denominators
    double lengths;  // squares of the denominators
} dj_ratio_sums;

// The standard error of the ratio `ratio` of sums over `count` parts, at least 2, whose denominators add up
// to `whole` (Cochran, Sampling Techniques, 6.4).
double dj_ratio_error(const dj_ratio_sums *sums, double ratio, double count, double whole);

// How many standard errors are as safe as three that are known exactly: the quantile of Student's
// distribution, by the approximation of Cornish and Fisher.
double dj_ratio_student(double freedom);

#endif
