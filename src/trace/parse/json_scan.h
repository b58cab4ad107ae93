// SPDX-License-Identifier: MIT
// Just enough JSON to walk over one line without memory of its own: values are
// checked and passed by, members found by name.
#ifndef DEJA_TRACE_PARSE_JSON_SCAN_H
#define DEJA_TRACE_PARSE_JSON_SCAN_H

#include "trace/parse/fields.h"

// These eat white space, then what they name; false, with `text` at the
// fault, when it is not there.
bool dj_scan_take(dj_text_field *text, char c);
bool dj_scan_string(dj_text_field *text, dj_text_field *inside); // without its quotes, escapes as they stand
bool dj_scan_skip(dj_text_field *text);                          // any value, nested at most 64 deep

#endif
