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
// The value at a position on the x axis.
double dj_chart_at(const dj_chart *chart, double place);
enum { DJ_CHART_TICKS = 64 };
// The value of tick k, below DJ_CHART_TICKS, of the x axis if `labels` fit; NAN: it is left out.
double dj_chart_tick(const dj_chart *chart, double labels, unsigned k);
// Its label, written into `to` (DJ_HUMAN_BYTES).
const char *dj_chart_label(const dj_chart *chart, double x, char *to);

// "4–7", "cold"; plain.
const char *dj_bar_label(dj_arena *arena, const dj_bar *bar, bool unicode);

#endif
