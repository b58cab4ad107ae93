// SPDX-License-Identifier: MIT
// All filters, for the registry.
#ifndef DEJA_FILTER_FILTERS_H
#define DEJA_FILTER_FILTERS_H

#include <deja/filter.h>

extern const dj_filter_ops dj_filter_only;
extern const dj_filter_ops dj_filter_window;
extern const dj_filter_ops dj_filter_warm_up;
extern const dj_filter_ops dj_filter_sample;

#endif
