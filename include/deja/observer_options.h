// SPDX-License-Identifier: MIT
/// \file
/// Options of the observers that have any.
#ifndef DEJA_OBSERVER_OPTIONS_H
#define DEJA_OBSERVER_OPTIONS_H

#include <stdint.h>

/// Observer `strides`.
typedef struct dj_strides_options {
    uint64_t near_blocks; ///< consecutive accesses at most so far apart are near; default 1
} dj_strides_options;

#endif
