// SPDX-License-Identifier: MIT
// The tracers of Deja: what the addresses of their accesses are, and the order of threads in them.
#ifndef DEJA_BASE_TRACERS_H
#define DEJA_BASE_TRACERS_H

#include <deja/source.h>

// Reports what a program records with <deja/record.h>: elements of its data, by number.
#define DJ_TRACER_ANNOTATIONS "annotations"

// A permanent copy of the name of a tracer of Deja; NULL for other names.
const char *dj_tracer_find(const char *name);

// In words, for the provenance. NULL: the accesses were not recorded by a tracer of Deja.
const char *dj_tracer_thread_order(const char *tracer);

// Describes the elements that an annotated program records, as it delivers them.
extern const dj_source_info dj_tracer_elements;

// Whether accesses from such a source are to elements, also in a recording of them. The program then also
// says where statements begin.
bool dj_tracer_counts_elements(const dj_source_info *info);

#endif
