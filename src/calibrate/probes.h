// SPDX-License-Identifier: MIT
// Loops whose time shows what memory costs. Each visits `steps` lines of 64 bytes, from where the last one of
// its kind ended, and returns the nanoseconds per line. Between two visits of a line it visits all others
// once.
#ifndef DEJA_CALIBRATE_PROBES_H
#define DEJA_CALIBRATE_PROBES_H

#include <stddef.h>
#include <stdint.h>

enum { DJ_LINE_BYTES = 64, DJ_LINE_WORDS = DJ_LINE_BYTES / sizeof(uint64_t) };

typedef struct dj_probe_memory {
    uint64_t *at;   // which the probes may change
    unsigned log2;  // of the number of lines
    uint64_t place; // where the last visit ended
} dj_probe_memory;

// Links all lines in one random cycle, for dj_probe_chase.
void dj_probe_link(dj_probe_memory *memory);

typedef double dj_probe(dj_probe_memory *memory, size_t steps);
dj_probe dj_probe_chase;  // each address is loaded from the line before
dj_probe dj_probe_random; // random order, known in advance
dj_probe dj_probe_update; // likewise; and a word of each is changed
dj_probe dj_probe_read;   // two sequences, every word
dj_probe dj_probe_write;  // likewise; and every word is changed
dj_probe dj_probe_access; // words of the first line, in turn: per access

#endif
