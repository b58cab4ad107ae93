// SPDX-License-Identifier: MIT
// What a generator implements: it numbers elements from 0. The conversion of these numbers to keys or
// addresses is common to all generators.
#ifndef DEJA_TRACE_GENERATE_GENERATE_H
#define DEJA_TRACE_GENERATE_GENERATE_H

#include <deja/generate.h>

typedef struct dj_generated {
    uint64_t *element;
    uint8_t *kind;  // enum dj_kind; written only by generators with info.has_kinds
    uint32_t *site; // also only by generators with info.has_kinds
    // Thread of each access, numbered from 1 in order of appearance; written only by generators with
    // has_threads; NULL: not wanted.
    uint32_t *thread;
} dj_generated;

typedef struct dj_generator {
    dj_generator_info info;
    bool finite;      // cannot continue beyond its length
    bool has_threads; // its accesses are made by several threads
    bool has_length;  // `create` sets the length also if options->accesses is not 0
    // Sets `*length` to the length of the trace if options->accesses is 0 (see has_length); generators
    // without a natural length leave it unchanged.
    int (*create)(dj_context *context, const dj_generate_options *options, void **state, uint64_t *length);
    void (*destroy)(void *state);
    // Produces the next `count` accesses; unless finite, the pattern starts again at its end.
    void (*fill)(void *state, uint32_t count, const dj_generated *to);
} dj_generator;

const dj_generator *dj_generator_entry(const char *name); // NULL if there is none

// a * b + c, or UINT64_MAX on overflow.
uint64_t dj_generate_length(uint64_t a, uint64_t b, uint64_t c);

// An open pattern of one kind, with its options; used by sources and by `phases`.
typedef struct dj_pattern {
    const dj_generator *generator;
    dj_generate_options options;
    void *state;
    uint64_t total, left; // accesses; those not yet produced
    uint32_t named;       // threads, numbered from 1 in order of appearance, whose names were reported
} dj_pattern;

// `options` is copied; its strings are not, and must outlive this call.
int dj_pattern_open(dj_context *context, const dj_generator *generator, const dj_generate_options *options,
                    dj_pattern *out);
// By name; NULL options select the defaults of that kind.
int dj_pattern_open_named(dj_context *context, const char *kind, const dj_generate_options *options,
                          dj_pattern *out);
void dj_pattern_close(dj_pattern *pattern);
// Writes the next accesses, at most `count`, and returns their number. `to->kind` and `to->site` may be NULL
// only if the generator does not write them.
uint32_t dj_pattern_fill(dj_pattern *pattern, uint32_t count, const dj_generated *to);

// Entries of a generator's option table.
#define DJ_GENERATE_OPTION(name_, letter_, type_, field_, argument_, help_)                                  \
    {                                                                                                        \
        name_, letter_, type_, offsetof(dj_generate_options, field_), argument_, help_, NULL                 \
    }
#define DJ_GENERATE_COMMON                                                                                   \
    DJ_GENERATE_OPTION("accesses", 'n', DJ_OPTION_UINT | DJ_OPTION_COMMON, accesses, "N",                    \
                       "length of the trace"),                                                               \
        DJ_GENERATE_OPTION("seed", 0, DJ_OPTION_UINT | DJ_OPTION_COMMON, seed, "N",                          \
                           "seed of the random numbers"),                                                    \
        DJ_GENERATE_OPTION("first-key", 0, DJ_OPTION_UINT, first_key, "K", "number of the first element"),   \
        DJ_GENERATE_OPTION("element-bytes", 0, DJ_OPTION_UINT | DJ_OPTION_COMMON, element_bytes, "B",        \
                           "write a memory trace with elements of B bytes instead of keys"),                 \
        DJ_GENERATE_OPTION("scatter", 0, DJ_OPTION_FLAG, scatter, NULL,                                      \
                           "spread the keys over all 64-bit numbers"),                                       \
    {                                                                                                        \
        NULL, 0, 0, 0, NULL, NULL, NULL                                                                      \
    }
#define DJ_GENERATE_KEYS(help_)                                                                              \
    DJ_GENERATE_OPTION("keys", 'k', DJ_OPTION_UINT | DJ_OPTION_COMMON, keys, "N", help_)

extern const dj_generator dj_generator_uniform, dj_generator_zipf, dj_generator_walk, dj_generator_hotcold,
    dj_generator_permutation, dj_generator_loop, dj_generator_zigzag, dj_generator_stencil,
    dj_generator_matmul, dj_generator_histogram, dj_generator_sharers, dj_generator_phases;

#endif
