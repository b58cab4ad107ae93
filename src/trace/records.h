// SPDX-License-Identifier: MIT
// Binary traces of records of one width.
#ifndef DEJA_TRACE_RECORDS_H
#define DEJA_TRACE_RECORDS_H

#include "trace/input/input.h"

// Shows the whole records at hand, `most` at the most, after reading on for at
// least one; none: the end. Bytes at the end that are no whole record are bad
// input once all that precede them have been consumed.
int dj_records_want(dj_context *context, dj_input *input, size_t width, size_t most, dj_span *out);

// The message for `rest` bytes at `offset`, the end.
int dj_records_fail_rest(dj_context *context, const dj_input *input, uint64_t offset, size_t rest,
                         size_t width);

#endif
