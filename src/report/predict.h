// SPDX-License-Identifier: MIT
#ifndef DEJA_REPORT_PREDICT_H
#define DEJA_REPORT_PREDICT_H

#include <deja/report.h>

#include <stdio.h>

// The values, as JSON (docs/formats.md).
void dj_prediction_json(const dj_prediction_view *view, FILE *out);
void dj_hills_json(const dj_profile *profile, const dj_hills *hills, FILE *out);

// "cube root", …, in the words of the report: "as the square root".
const char *dj_growth_words(enum dj_growth growth);

#endif
