// SPDX-License-Identifier: MIT
// Fits of one quantity over the inputs: c + e · f(size), or with two functions of the size.
#ifndef DEJA_MODEL_PREDICT_TREND_H
#define DEJA_MODEL_PREDICT_TREND_H

#include <deja/predict.h>

enum { DJ_TREND_TERMS = 2 };

typedef struct dj_trend {
    double constant;
    enum dj_growth growth[DJ_TREND_TERMS]; // the fastest first
    double factor[DJ_TREND_TERMS];
    size_t terms;
    double power; // of DJ_GROWTH_POWER
    double error; // relative: how far values were off, each predicted from the others
} dj_trend;

enum dj_trend_kind {
    DJ_TREND_DISTANCE, // grows at most as the data times its logarithm
    DJ_TREND_COUNT,    // also as powers up to the third
};

double dj_growth_at(enum dj_growth growth, double size);
// The values are not negative; sizes increase; `count` is from 1 to DJ_PREDICT_INPUTS.
dj_trend dj_trend_find(enum dj_trend_kind kind, const double *sizes, const double *values, size_t count);
double dj_trend_at(const dj_trend *fit, double size); // not negative
// The fastest function of a fit; instead of a power the nearest one up to DJ_GROWTH_LINEAR.
enum dj_growth dj_trend_growth(const dj_trend *fit);

#endif
