// SPDX-License-Identifier: MIT
// Options for programs or threads that share caches: who they are, in which order they run, which caches they
// share.
#ifndef DEJA_CLI_OPTIONS_SHARERS_H
#define DEJA_CLI_OPTIONS_SHARERS_H

#include <deja/measure.h>
#include <deja/sharers.h>

#include "cli/options/caches.h"
#include "cli/options/trace.h"

enum { DJ_SPEEDS_MOST = 1024 };

typedef struct dj_sharer_options {
    bool by_thread;     // the sharers are threads; the verb also sets it for one trace or program
    bool needs_threads; // by request: a trace that records none is refused
    int order;          // index into the choices
    const char *speeds; // as typed; NULL: equal
    uint64_t seed;
    uint64_t schedules, quantum; // UINT64_MAX: not given
    bool separate;
    const char *share; // as typed; NULL: the largest cache is shared by all
    // Of a program, set by the verb.
    bool program;           // the trace is its recording
    const double *measured; // speeds, unless others are given; NULL: unknown
    size_t measured_count;
} dj_sharer_options;

int dj_sharers_list(dj_context *context, dj_sharer_options *options, dj_groups *groups);

// Rejects options that cannot be combined, before any work is done.
int dj_sharers_check(dj_context *context, const dj_sharer_options *options, size_t files);

// Opens each file as a sharer, or one file whose threads are the sharers. Sets who they are and their order
// in the request, which points to `speeds`, an array of DJ_SPEEDS_MOST.
int dj_sharers_open(dj_context *context, const dj_sharer_options *options, const dj_trace_options *trace,
                    const dj_arguments *files, dj_source **out, dj_plan *plan, double *speeds,
                    dj_sharing_request *request);

// Parses a list of positive numbers such as the speeds "1,2.5"; at most DJ_SPEEDS_MOST.
int dj_sharers_parse_numbers(dj_context *context, const char *option, const char *text, double *numbers,
                             size_t *count);

// Copies the names of sharers, which the caller frees, also on failure. The second and further ones of the
// same name get a number: "io.csv", "io.csv (2)".
int dj_label_sharers(dj_context *context, const char *const *names, size_t count, char **labels);

// The caches and how many share each; at most DJ_SHAPES_MAX. Names point into `from`.
int dj_sharers_caches(dj_context *context, const dj_sharer_options *options, dj_caches *from,
                      dj_shared_cache *out, size_t *count);

#endif
