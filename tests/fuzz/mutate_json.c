// SPDX-License-Identifier: MIT
// Mutates JSON: a value of another type, another number, a member repeated, dropped or moved, a value in
// place of another one, nesting, long strings.
#include "fuzz/mutate_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 1 << 14, DEPTH_MOST = 256 };

typedef struct value {
    size_t from;  // of the key, if it is a member
    size_t start; // of the value
    size_t end;
} value;

typedef struct scan {
    const char *text;
    size_t bytes, at;
    value values[VALUES_MOST];
    size_t count;
    size_t open[DEPTH_MOST]; // values that were entered
    size_t depth;
} scan;

static size_t string_end(const scan *s, size_t at)
{
    for (at++; at < s->bytes && s->text[at] != '"'; at++)
        at += s->text[at] == '\\';
    return at < s->bytes ? at + 1 : s->bytes;
}

static size_t word_end(const scan *s, size_t at)
{
    while (at < s->bytes && !strchr(",:{}[]\" \t\r\n", s->text[at]))
        at++;
    return at;
}

static void scan_values(scan *s)
{
    size_t key = SIZE_MAX; // start of the key that was read last
    while (s->at < s->bytes && s->count < VALUES_MOST) {
        const size_t at = s->at;
        const char c = s->text[at];
        if (c == '}' || c == ']') {
            s->at++;
            if (s->depth > 0)
                s->values[s->open[--s->depth]].end = s->at;
        } else if (c == 0 || strchr(",: \t\r\n", c)) {
            s->at++;
            if (c == ':' && s->count > 0) // the string before was a key
                key = s->values[--s->count].start;
        } else {
            bool nested = c == '{' || c == '[';
            s->at = nested ? at + 1 : c == '"' ? string_end(s, at) : word_end(s, at);
            s->values[s->count] = (value){key == SIZE_MAX ? at : key, at, nested ? s->bytes : s->at};
            if (nested && s->depth < DEPTH_MOST)
                s->open[s->depth++] = s->count;
            s->count++;
            key = SIZE_MAX;
        }
    }
}

static void put_text(fuzz_bytes *to, const char *text)
{
    fuzz_put(to, text, strlen(text));
}

static void put_nested(fuzz_bytes *to, dj_random *random)
{
    size_t depth = (size_t)1 << dj_random_below(random, 9);
    bool lists = dj_random_below(random, 2);
    for (size_t i = 0; i < depth; i++)
        put_text(to, lists ? "[" : "{\"a\":");
    put_text(to, "0");
    for (size_t i = 0; i < depth; i++)
        put_text(to, lists ? "]" : "}");
}

static void put_new_value(fuzz_bytes *to, dj_random *random)
{
    static const char *const words[] = {
        "null",
        "true",
        "false",
        "\"\"",
        "\"x\"",
        "{}",
        "[]",
        "-1",
        "-0",
        "0.5",
        "1e999",
        "-1e-999",
        "1e18",
        "nan",
        "\"1\"",
        "\"ff\"",
        "[0]",
        "18446744073709551616",
        "[[0,0]]",
        "\"\\u",
        "\"\\u202e\"",
        "\"\\ud800\"",
        "\"\\ud83d\\ude00\"",
        "\"\\n\\t\\\"\\\\\\/\"",
        "0x10",
        "1.",
        "+1",
        "\"\x1b[2J\"",
    };
    char number[32];
    switch (dj_random_below(random, 4)) {
    case 0:
        snprintf(number, sizeof number, "%" PRIu64, fuzz_number(random));
        put_text(to, number);
        break;
    case 1:
        put_nested(to, random);
        break;
    default:
        put_text(to, words[dj_random_below(random, sizeof words / sizeof *words)]);
        break;
    }
}

static void put_mutated(fuzz_bytes *to, const char *text, size_t bytes)
{
    fuzz_bytes part = {0};
    fuzz_put(&part, text, bytes);
    fuzz_mutate_bytes(&part);
    fuzz_put(to, part.data, part.count);
    free(part.data);
}

enum change { NUMBER, REPLACE, COPY, REPEAT, DROP, MUTATE, MANY, CHANGES };

// What stands in place of value `a`.
static void put_changed(fuzz_bytes *out, const scan *s, size_t a, enum change kind, dj_random *random)
{
    const value *v = &s->values[a], *other = &s->values[dj_random_below(random, s->count)];
    char number[32];
    if (kind == REPEAT || kind == MANY)
        for (size_t times = kind == MANY ? (size_t)1 << dj_random_below(random, 9) : 1; times > 0; times--) {
            fuzz_put(out, s->text + v->from, v->end - v->from);
            put_text(out, ",");
        }
    if (kind == DROP)
        return;
    fuzz_put(out, s->text + v->from, v->start - v->from);
    if (kind == NUMBER) {
        uint64_t by = strtoull(s->text + v->start, NULL, 10) + dj_random_below(random, 5) - 2;
        snprintf(number, sizeof number, "%" PRIu64, by);
        put_text(out, number);
    } else if (kind == REPLACE) {
        put_new_value(out, random);
    } else if (kind == COPY) {
        fuzz_put(out, s->text + other->start, other->end - other->start);
    } else if (kind == MUTATE) {
        put_mutated(out, s->text + v->start, v->end - v->start);
    } else {
        fuzz_put(out, s->text + v->start, v->end - v->start);
    }
}

size_t fuzz_mutate_json(uint8_t *data, size_t bytes, size_t most, dj_random *random)
{
    static scan s;
    char *text = malloc(bytes + 1); // strtoull stops at the zero
    if (!text)
        abort();
    memcpy(text, data, bytes);
    text[bytes] = 0;
    s.text = text;
    s.bytes = bytes;
    s.at = s.count = s.depth = 0;
    scan_values(&s);
    fuzz_bytes out = {0};
    if (s.count > 0) {
        size_t a = dj_random_below(random, s.count);
        enum change kind = (enum change)dj_random_below(random, CHANGES);
        const char first = text[s.values[a].start];
        if (kind == NUMBER && (first < '0' || first > '9'))
            kind = REPLACE;
        size_t after = s.values[a].end;
        if (kind == DROP) // with the comma behind it
            after += strspn(text + after, " \t\r\n,");
        fuzz_put(&out, text, s.values[a].from);
        put_changed(&out, &s, a, kind, random);
        fuzz_put(&out, text + after, bytes - after);
    }
    free(text);
    return fuzz_take(&out, data, bytes, most);
}
