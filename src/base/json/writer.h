// SPDX-License-Identifier: MIT
// Writes JSON to a stream incrementally, so that a list of any length needs no memory. Write errors stay in
// the stream (ferror), as with stdio. Initialize with {.out = stream}; nesting is limited to less than
// DJ_JSON_DEPTH levels.
#ifndef DEJA_BASE_JSON_WRITER_H
#define DEJA_BASE_JSON_WRITER_H

#include <deja/error.h>

#include <stdio.h>

enum { DJ_JSON_DEPTH = 32 };

typedef struct dj_json_writer {
    FILE *out;
    unsigned depth;
    unsigned flat_depth; // from this depth on everything is on one line; 0: nowhere
    bool filled[DJ_JSON_DEPTH];
} dj_json_writer;

// Each value needs a key inside an object and NULL inside a list or at the top level.
void dj_json_begin_object(dj_json_writer *json, const char *key);
void dj_json_end_object(dj_json_writer *json);
void dj_json_begin_list(dj_json_writer *json, const char *key);
void dj_json_end_list(dj_json_writer *json);
// Like dj_json_begin_object and dj_json_begin_list, with all contents on one line.
void dj_json_begin_row(dj_json_writer *json, const char *key);
void dj_json_begin_flat_list(dj_json_writer *json, const char *key);

// Bytes that are not UTF-8 become U+FFFD.
void dj_json_text(dj_json_writer *json, const char *key, const char *text);
// Values above 2^63 − 1, which many readers would corrupt, become strings.
void dj_json_uint(dj_json_writer *json, const char *key, uint64_t value);
void dj_json_int(dj_json_writer *json, const char *key, int64_t value);
// The shortest digits that read back as the same number; null if not finite.
void dj_json_real(dj_json_writer *json, const char *key, double value);
void dj_json_bool(dj_json_writer *json, const char *key, bool value);
void dj_json_null(dj_json_writer *json, const char *key);
// 16 hexadecimal digits, as a string.
void dj_json_hex(dj_json_writer *json, const char *key, uint64_t value);
// A value that already is JSON, on one line.
void dj_json_raw(dj_json_writer *json, const char *key, const char *value);
// A value that another writer at the same depth wrote to a file.
void dj_json_copy(dj_json_writer *json, FILE *from, long at, size_t bytes);
// Writes the final newline, after the outermost value was closed.
void dj_json_finish(dj_json_writer *json);

#endif
