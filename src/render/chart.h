// SPDX-License-Identifier: MIT
// What charts have in common, whatever they are drawn with.
#ifndef DEJA_RENDER_CHART_H
#define DEJA_RENDER_CHART_H

#include <deja/document.h>

#include "base/arena.h"

// Doublings from one end of the x axis to the other; above 0.
double dj_chart_span(const dj_chart *chart);
// Where x lies between the ends of the axis, from 0 to 1, or beyond.
double dj_chart_place(const dj_chart *chart, double x);
// The value of a series at x; NAN where it has none.
double dj_series_at(const dj_series *series, double x);
// The least round share, in quarters that are round too, that all series stay below on the axis.
double dj_chart_top(const dj_chart *chart);
// Every how many doublings the x axis is labelled, where there is room for `labels`.
unsigned dj_chart_step(const dj_chart *chart, double labels);

// "4–7", "cold"; plain.
const char *dj_bar_label(dj_arena *arena, const dj_bar *bar, bool unicode);

#endif
