// SPDX-License-Identifier: MIT
// Shared by all renderers that draw charts.
#ifndef DEJA_RENDER_CHART_H
#define DEJA_RENDER_CHART_H

#include <deja/document.h>

#include "base/arena.h"

// Number of doublings on the x axis; above 0.
double dj_chart_span(const dj_chart *chart);
// The position of x on the axis, from 0 to 1, or beyond.
double dj_chart_place(const dj_chart *chart, double x);
// The value of a series at x; NAN if it has none.
double dj_series_at(const dj_series *series, double x);
// The smallest round share, divisible into round quarters, that no series exceeds on the axis.
double dj_chart_top(const dj_chart *chart);
// How many doublings are between labels of the x axis, if `labels` fit.
unsigned dj_chart_step(const dj_chart *chart, double labels);

// "4–7", "cold"; plain.
const char *dj_bar_label(dj_arena *arena, const dj_bar *bar, bool unicode);

#endif
