// SPDX-License-Identifier: MIT
// Reads the fields of one line of text. A field is a range of a line, which is consumed from its front; it
// has no terminating zero byte, and nothing here reads past its end. Numbers over 64 bits are refused.
#ifndef DEJA_TRACE_PARSE_FIELDS_H
#define DEJA_TRACE_PARSE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dj_text_field {
    const char *at;
    const char *end;
} dj_text_field;

static inline size_t dj_field_bytes(dj_text_field field)
{
    return (size_t)(field.end - field.at);
}

static inline bool dj_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Whether the field contains a byte that does not occur in text, and so is binary data.
static inline bool dj_field_has_control(dj_text_field field)
{
    bool found = false;
    for (size_t i = 0; i < dj_field_bytes(field); i++) {
        unsigned char c = (unsigned char)field.at[i];
        found |= (c < 0x20 && c != '\t') || c == 0x7f;
    }
    return found;
}

#define DJ_FIELD_NO_CONTROL "text without control characters"

// Skips blanks; true if there was at least one.
static inline bool dj_field_skip_blanks(dj_text_field *field)
{
    const char *from = field->at;
    while (field->at < field->end && dj_is_blank(*field->at))
        field->at++;
    return field->at > from;
}

// Skips blanks; true if nothing else is left.
static inline bool dj_field_at_end(dj_text_field *field)
{
    dj_field_skip_blanks(field);
    return field->at == field->end;
}

// Skips `c` if it is next.
static inline bool dj_field_skip(dj_text_field *field, char c)
{
    if (field->at == field->end || *field->at != c)
        return false;
    field->at++;
    return true;
}

// Skips a comma and the blanks around it.
static inline bool dj_field_skip_comma(dj_text_field *field)
{
    dj_field_skip_blanks(field);
    if (!dj_field_skip(field, ','))
        return false;
    dj_field_skip_blanks(field);
    return true;
}

// These consume a number at the front. They return false, with `field` unchanged, if there is none or it does
// not fit.
bool dj_field_decimal(dj_text_field *field, uint64_t *out);
bool dj_field_hex(dj_text_field *field, uint64_t *out);    // 0x is optional
bool dj_field_number(dj_text_field *field, uint64_t *out); // decimal, or hexadecimal with 0x
// Skips a decimal number with optional sign, fraction and exponent (a time stamp that is not needed).
bool dj_field_skip_real(dj_text_field *field);
// The same number as a time in units of `unit` nanoseconds. Returns nanoseconds modulo 2^64, since only
// differences matter.
bool dj_field_clock(dj_text_field *field, uint64_t unit, uint64_t *clock);

enum { DJ_CLOCK_NS = 1, DJ_CLOCK_US = 1000, DJ_CLOCK_MS = 1000000, DJ_CLOCK_S = 1000000000 };

// Consume up to the next blank, or up to the next `separator` (dropping blanks around the word); false if the
// word is empty.
bool dj_field_word(dj_text_field *field, dj_text_field *word);
bool dj_field_until(dj_text_field *field, char separator, dj_text_field *word);
dj_text_field dj_field_trim(dj_text_field field);

// Removes the byte order mark that some editors put before the first line.
dj_text_field dj_field_skip_bom(dj_text_field line);

// Whether it equals `text`, ignoring the case of ASCII letters.
bool dj_field_is(dj_text_field field, const char *text);

// R, W, read, write in any case, as enum dj_kind.
bool dj_field_kind(dj_text_field word, uint8_t *kind);

// Names of operations of caches, disks and programs, in any case: get, put, load, store, … and the SCSI codes
// of reads and writes. Anything else is DJ_KIND_OTHER.
uint8_t dj_field_operation(dj_text_field word);

// A decimal device number below 2^32.
bool dj_field_device(dj_text_field *field, uint32_t *out);

// A word as a key: its value if it is a decimal or 0x number, otherwise its 64-bit hash. False if it is a
// number of more than 64 bits.
bool dj_field_key(dj_text_field word, uint64_t *key);
uint64_t dj_field_hash(dj_text_field word);
uint64_t dj_hash_pair(uint64_t a, uint64_t b);

// Whether the last byte of the access has a valid address.
static inline bool dj_range_fits(uint64_t address, uint64_t size)
{
    return size == 0 || size - 1 <= UINT64_MAX - address;
}

enum { DJ_SECTOR_BYTES = 512 };

// Converts a count of sectors to bytes in place; false on overflow.
static inline bool dj_sectors_to_bytes(uint64_t *value)
{
    return !__builtin_mul_overflow(*value, (uint64_t)DJ_SECTOR_BYTES, value);
}

#endif
