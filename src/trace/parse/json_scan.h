// SPDX-License-Identifier: MIT
// A minimal JSON scanner for one line, without allocation: checks and skips values, and finds members by
// name.
#ifndef DEJA_TRACE_PARSE_JSON_SCAN_H
#define DEJA_TRACE_PARSE_JSON_SCAN_H

#include "trace/parse/fields.h"

// These skip white space, then consume what they name; false, with `text` at the error, if it is not there.
bool dj_scan_char(dj_text_field *text, char c);
bool dj_scan_string(dj_text_field *text, dj_text_field *inside); // without quotes, with escapes unchanged
bool dj_scan_skip(dj_text_field *text);                          // any value, nested at most 64 levels deep

#endif
