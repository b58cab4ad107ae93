// SPDX-License-Identifier: MIT
/// \file
/// Synthetic traces: access patterns whose reuse distances, or their distribution, are known. A generator is
/// a source like any other. The same kind, options and seed produce the same accesses on every machine.
#ifndef DEJA_GENERATE_H
#define DEJA_GENERATE_H

#include <deja/source.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The options of all kinds; each kind reads those in its table.
typedef struct dj_generate_options {
    uint64_t accesses; ///< 0: the natural length of the pattern, given the other options
    uint64_t seed;
    uint64_t keys;          ///< elements; for stencil those of one array, for matmul the rows
    uint64_t first_key;     ///< number of the first element
    uint64_t element_bytes; ///< 0: elements are keys; otherwise they are contiguous in memory
    bool scatter;           ///< replace each key by a 64-bit hash of it, one to one

    uint64_t sweeps;       ///< passes over all elements
    double exponent;       ///< zipf: the k-th key has weight 1 / k^exponent
    bool swap;             ///< stencil: the arrays swap roles after each sweep
    bool reshuffle;        ///< permutation: a new order in each sweep
    uint64_t step;         ///< walk: longest step
    uint64_t hot;          ///< hotcold: number of hot keys
    double hot_share;      ///< hotcold: share of the accesses that go to hot keys
    const char *distances; ///< histogram: "DISTANCE:COUNT,…,cold:COUNT"
    const char *phases;    ///< phases: "KIND NAME=VALUE …; KIND …"
    /// sharers: distinct elements of each sharer, "N,N,…". `accesses` is the number of each.
    const char *distinct;
    const char *distribution; ///< sharers: random, exponential or normal; one for all, or one for each
    double sharing;           ///< sharers: shared elements, as a share of the first sharer's elements
    uint64_t sharer;          ///< sharers: only this one, counted from 1; 0: all, as threads that alternate
} dj_generate_options;

typedef struct dj_generator_info {
    const char *name;
    const char *summary;
    const dj_option *options; ///< those that apply to this kind; a table over dj_generate_options
    dj_generate_options defaults;
    bool has_kinds; ///< distinguishes reads from writes and has one site per operand
} dj_generator_info;

DJ_API size_t dj_generator_count(void);
DJ_API const dj_generator_info *dj_generator_get(size_t index);
DJ_API const dj_generator_info *dj_generator_find(const char *name); ///< NULL if there is none

/// Creates a source that generates one kind of trace. `options` is copied, including its strings; NULL
/// selects the defaults. Memory does not grow with the number of accesses; `permutation` and `histogram`
/// store their keys.
DJ_API int dj_source_generate(dj_context *context, const char *kind, const dj_generate_options *options,
                              dj_source **out);

/// Returns the addresses of the same trace in one array, which the caller frees with free.
DJ_API int dj_generate_addresses(dj_context *context, const char *kind, const dj_generate_options *options,
                                 uint64_t **out, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
