// SPDX-License-Identifier: MIT
// The data of the C library and of the loader, which order their own accesses: whatever they wait for, such
// as their locks and lists, would only repeat the order in which the recorded run happened to start and end
// its threads.
#ifndef DEJA_TRACE_SHARERS_LIBRARY_H
#define DEJA_TRACE_SHARERS_LIBRARY_H

#include <deja/batch.h>

typedef struct dj_address_range {
    uint64_t first, bytes;
} dj_address_range;

// Begins as zeros.
typedef struct dj_library {
    dj_address_range *ranges;
    size_t count;
    size_t capacity;
} dj_library;

// Whether the file of a module is the C library or the loader.
bool dj_library_is(const char *path);
// Adds the module of a DJ_EVENT_MODULE, if it is one of these.
int dj_library_see(dj_library *library, dj_context *context, const dj_event *module);
void dj_library_free(dj_library *library);

static inline bool dj_library_has(const dj_library *library, uint64_t address)
{
    for (size_t i = 0; i < library->count; i++)
        if (address - library->ranges[i].first < library->ranges[i].bytes)
            return true;
    return false;
}

#endif
