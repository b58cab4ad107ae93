// SPDX-License-Identifier: MIT
// How often memory was freed. Data that is allocated in it again is new data, and gets addresses in a copy of
// the address space, one for each generation. So neighbours of the same generation remain neighbours, and
// what was never freed keeps its addresses.
#ifndef DEJA_LOCATE_GENERATIONS_H
#define DEJA_LOCATE_GENERATIONS_H

#include <deja/error.h>

typedef struct dj_generations dj_generations;

int dj_generations_create(dj_context *context, dj_generations **out);
void dj_generations_destroy(dj_generations *generations);

// The generation of data allocated in [lo, hi), and the address of its first byte in the copy.
int dj_generations_find(dj_generations *generations, dj_context *context, uint64_t lo, uint64_t hi,
                        uint32_t *generation, uint64_t *fresh);
// Data of that generation in [lo, hi) was freed.
int dj_generations_end(dj_generations *generations, dj_context *context, uint64_t lo, uint64_t hi,
                       uint32_t generation);

#endif
