// SPDX-License-Identifier: MIT
// Synthetic traces in the formats of other programs, to measure the readers.
#ifndef DEJA_BENCH_SAMPLE_H
#define DEJA_BENCH_SAMPLE_H

#include <deja/error.h>
#include <stdio.h>

typedef struct bench_sample {
    const char *format;
    const char *head; // first line of text, or NULL
    const char *line; // of text; {i} is the number of the record, {d} and {x} the address
    void (*record)(FILE *out, uint64_t i, uint64_t address); // of a binary format
    const char *columns;                                     // for csv
} bench_sample;

const bench_sample *bench_sample_find(const char *format); // NULL if there is none

// `count` records in memory, freed by the caller with free.
int bench_sample_make(dj_context *context, const bench_sample *sample, uint64_t count, char **out,
                      size_t *bytes);

#endif
