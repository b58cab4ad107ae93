// SPDX-License-Identifier: MIT
#ifndef DEJA_REPORT_PREDICT_H
#define DEJA_REPORT_PREDICT_H

#include <deja/report.h>

#include <stdio.h>

// The values, as JSON (docs/formats.md).
void dj_prediction_json(const dj_prediction_view *view, FILE *out);
void dj_hills_json(const dj_profile *profile, const dj_hills *hills, FILE *out);

// The nearest count; distances up to 2^64 and predictions of any size have one.
static inline uint64_t dj_whole(double value)
{
    return value >= 0x1p63 ? UINT64_C(1) << 63 : value > 0 ? (uint64_t)(value + 0.5) : 0;
}

#endif
