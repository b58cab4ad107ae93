// SPDX-License-Identifier: MIT
// The option of engines that use several threads.
#ifndef DEJA_ENGINE_THREADS_H
#define DEJA_ENGINE_THREADS_H

#include <deja/option.h>

#include <stddef.h>

enum { DJ_THREADS_MOST = 1024 };

// A row of the option table; 0 means all processors.
#define DJ_THREADS_OPTION(engine, structure, field)                                                          \
    {                                                                                                        \
        .name = "threads", .letter = 'j', .type = DJ_OPTION_UINT, .offset = offsetof(structure, field),      \
        .argument = "N", .help = "threads of engine " engine " (default: all processors)"                    \
    }

int dj_threads_check(dj_context *context, uint64_t threads);

#endif
