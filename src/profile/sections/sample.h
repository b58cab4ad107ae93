// SPDX-License-Identifier: MIT
// Errors of estimates from a sample, in the sections that hold them.
#ifndef DEJA_PROFILE_SECTIONS_SAMPLE_H
#define DEJA_PROFILE_SECTIONS_SAMPLE_H

#include <deja/profile.h>

enum { DJ_SAMPLE_ERRORS_MOST = 1 << 12 };

extern const dj_table dj_sample_error_row;

// That sizes begin at 0 and increase, and errors are not negative.
int dj_sample_errors_check(dj_context *context, const dj_sample_error *errors, size_t count);

#endif
