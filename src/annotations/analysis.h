// SPDX-License-Identifier: MIT
// The thread within a program that makes the profile of what the program tells.
#ifndef DEJA_ANNOTATIONS_ANALYSIS_H
#define DEJA_ANNOTATIONS_ANALYSIS_H

#include "annotations/feed.h"
#include "locate/region.h"

typedef struct dj_analysis dj_analysis;

enum { DJ_ANALYSIS_BLOCKS = 32 };

// Texts of the config must outlive the analysis.
typedef struct dj_analysis_config {
    const char *path;                // where the profile goes; "%p" stands for the process
    const char *command;             // of the program
    const _Atomic uint64_t *outside; // accesses that belong to no recorded data
    dj_region_options counting;
    const char *engine; // NULL: the one that suits
    bool whole;         // without attribution
    bool statements;    // one access for each element and statement instance
    // For spatial locality: sizes of blocks in elements, each twice the one before; 0: elements alone.
    uint64_t blocks[DJ_ANALYSIS_BLOCKS];
    size_t block_count;
    void (*leave)(void); // how a process ends that has no other threads left (alone.h), or NULL
} dj_analysis_config;

// The feed stays the caller's and outlives the analysis.
int dj_analysis_start(dj_context *context, const dj_analysis_config *config, dj_feed *feed,
                      dj_analysis **out);
// The feed is closed: waits until the profile is written.
int dj_analysis_end(dj_analysis *analysis, dj_context *context);

#endif
