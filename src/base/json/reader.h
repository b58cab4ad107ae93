// SPDX-License-Identifier: MIT
// Reads JSON from a stream, value by value, without a tree in memory: a hostile file costs no more memory
// than one string. (A tree needs 20 to 80 times the size of the file, and profiles have lists of millions.)
#ifndef DEJA_BASE_JSON_READER_H
#define DEJA_BASE_JSON_READER_H

#include <deja/error.h>

#include <stdio.h>

typedef struct dj_json_reader dj_json_reader;

// `name` is used in messages; `in` and `name` must outlive the reader.
int dj_json_reader_create(dj_context *context, FILE *in, const char *name, dj_json_reader **out);
void dj_json_reader_destroy(dj_json_reader *reader);

// The functions below fail with DJ_ERR_INPUT (with file and line), DJ_ERR_IO or DJ_ERR_MEMORY.
int dj_json_fail(dj_json_reader *reader, const char *format, ...) DJ_PRINTF(2, 3);
dj_context *dj_json_context(const dj_json_reader *reader);

int dj_json_read_uint(dj_json_reader *reader, uint64_t *out); // a number, or a string of digits
int dj_json_read_int(dj_json_reader *reader, int64_t *out);
int dj_json_read_real(dj_json_reader *reader, double *out);
int dj_json_read_bool(dj_json_reader *reader, bool *out);
int dj_json_read_hex(dj_json_reader *reader, uint64_t *out); // a string of 1 to 16 hexadecimal digits
// Returns a copy that the caller frees; frees the previous *out.
int dj_json_read_text(dj_json_reader *reader, char **out);
// Reads `null` if it is next, and says whether it was.
int dj_json_read_null(dj_json_reader *reader, bool *was_null);
// Returns the first character of the next value, EOF at the end, without reading it.
int dj_json_peek(dj_json_reader *reader);
// Enters an object or a list: `open` is '{' or '['.
int dj_json_enter(dj_json_reader *reader, char open);
// Steps to the next element of the object or list, which ends with `close`.
int dj_json_step(dj_json_reader *reader, char close, bool first, bool *more);
// Reads a key and the colon; *key is valid until the next read.
int dj_json_read_key(dj_json_reader *reader, const char **key);

// Reads and discards any value.
int dj_json_skip(dj_json_reader *reader);
// Fails unless only white space is left.
int dj_json_expect_end(dj_json_reader *reader);

// Calls `item` to read each element of a list.
int dj_json_read_list(dj_json_reader *reader, int (*item)(dj_json_reader *reader, void *target),
                      void *target);

enum dj_json_type {
    DJ_JSON_UINT,
    DJ_JSON_REAL,
    DJ_JSON_BOOL,
    DJ_JSON_TEXT,
    DJ_JSON_HEX,
    DJ_JSON_CALL, // read by `call`, which gets the address of the value
};

// The type of a member and where its value is stored.
typedef struct dj_json_field {
    const char *name; // NULL ends a table of at most 64
    enum dj_json_type type;
    bool required;
    size_t offset; // in the target
    int (*call)(dj_json_reader *reader, void *value);
} dj_json_field;

// Reads an object into `target`. Skips unknown keys; fails if a key appears twice or a required one is
// missing. Sets bit i of *seen (may be NULL) for each field i that was present.
int dj_json_read_object(dj_json_reader *reader, const dj_json_field *fields, void *target, uint64_t *seen);

#endif
