// SPDX-License-Identifier: MIT
// From the rows of a ranking to advice: what is known of each, what follows from
// it, and the words.
#ifndef DEJA_MODEL_SPATIAL_ADVICE_H
#define DEJA_MODEL_SPATIAL_ADVICE_H

#include "model/ranking.h"

// What is known of the accesses of a row.
typedef struct dj_spatial_evidence {
    const dj_ranking_work *work;
    const dj_rank_row *row;
    // Steps of its worst place; blocks that all of it brings in, or when it brings in none, its loop.
    dj_usage usage;
    double used;           // of each block that comes in, in address units
    int64_t stride;        // the most frequent one that is not 0; 0: none
    double share;          // of it, among those that are not 0
    bool along;            // between runs of that stride it moves on by less: another loop goes along memory
    uint64_t element;      // how large elements are, or how far apart; 0: unknown
    bool field;            // parts of structures are met
    uint32_t inner, outer; // the two innermost loops around it, those of callers included
    const char *parts[2];  // elements of the data that come in by themselves in this loop, the most first
    uint64_t part_fetched[2]; // blocks that come in with them
    uint32_t partner;         // a place of the loop that meets other data at the same index, or DJ_NOWHERE
    int64_t unsaved; // as dj_ranking_unsaved, of the row and of all that meets the same data in its loop
    bool listed;     // the loop goes along other data, a step each time: what it comes to may stand in a list
} dj_spatial_evidence;

int dj_spatial_evidence_find(dj_context *context, const dj_ranking_work *work, const dj_rank_row *row,
                             dj_spatial_evidence *e);

// Sets advice and text of the worst rows.
int dj_ranking_advise(dj_context *context, const dj_ranking_work *work);

// Replaces row->text.
int dj_spatial_advice_say(dj_context *context, const dj_spatial_evidence *evidence, dj_rank_row *row);

// One piece of data, with a layout that a programmer chose: no rest, no frame.
bool dj_spatial_is_data(const dj_ranking_work *work, uint32_t object);
// Most of each block that comes in is used.
static inline bool dj_spatial_is_used_up(const dj_spatial_evidence *evidence)
{
    return evidence->used > 0.75 * (double)dj_profile_spatial(evidence->work->profile)->usage_block;
}
// Small pieces of memory, each allocated by itself: lists, trees.
bool dj_spatial_is_nodes(const dj_spatial_evidence *evidence);
// Most steps are alike.
static inline bool dj_spatial_is_regular(const dj_spatial_evidence *evidence)
{
    return evidence->stride != 0 && evidence->share > 0.6;
}

#endif
