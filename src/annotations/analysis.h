// SPDX-License-Identifier: MIT
// The thread within an annotated program that computes its profile, or passes on what the program records.
#ifndef DEJA_ANNOTATIONS_ANALYSIS_H
#define DEJA_ANNOTATIONS_ANALYSIS_H

#include "annotations/channel.h"
#include "locate/region.h"

#include <sys/types.h>

typedef struct dj_analysis dj_analysis;

enum { DJ_ANALYSIS_BLOCKS = 32 };

// Strings of the config must outlive the analysis.
typedef struct dj_analysis_config {
    const char *path; // of the profile; "%p" is replaced by the process id
    // If not 0, nothing is analyzed: this process reads what is recorded from a ring (relay.h) in the folder
    // of `path`.
    pid_t reader;
    unsigned image;      // programs with a recorder that this process ran before
    const char *command; // of the program, as it is typed
    const char *words;   // the same, separated by byte 1
    dj_region_options counting;
    const char *engine; // NULL: the default
    bool whole;         // without attribution
    bool statements;    // one access per element and statement instance
    // For spatial locality: block sizes in elements, each twice the previous one; 0: only elements.
    uint64_t blocks[DJ_ANALYSIS_BLOCKS];
    size_t block_count;
    void (*leave)(void); // ends a process that has no other threads left (last_thread.h), or NULL
} dj_analysis_config;

// The caller owns the channel, which must outlive the analysis.
int dj_analysis_start(dj_context *context, const dj_analysis_config *config, dj_channel *channel,
                      dj_analysis **out);
// Call after closing the channel: waits until the profile is written, or everything is passed on.
int dj_analysis_end(dj_analysis *analysis, dj_context *context);

#endif
