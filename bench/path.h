// SPDX-License-Identifier: MIT
#ifndef DEJA_BENCH_PATH_H
#define DEJA_BENCH_PATH_H

#include "bench/bench.h"

enum { BENCH_COPIERS = 2 };

extern const dj_engine_ops bench_engine_nothing, bench_engine_copy;

#endif
