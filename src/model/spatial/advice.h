// SPDX-License-Identifier: MIT
// Advice for the rows of a ranking: the evidence for each row, and the rules.
#ifndef DEJA_MODEL_SPATIAL_ADVICE_H
#define DEJA_MODEL_SPATIAL_ADVICE_H

#include "model/spatial/ranking.h"

// spatial/rules_layout.c
extern const dj_spatial_rule dj_rule_reorder_fields, dj_rule_pad, dj_rule_split, dj_rule_regroup;
// spatial/rules_order.c
extern const dj_spatial_rule dj_rule_go_along, dj_rule_shrink, dj_rule_sort;

int dj_spatial_evidence_find(dj_context *context, const dj_ranking_work *work, const dj_rank_row *row,
                             dj_spatial_evidence *e);

// Sets the advice and text of the worst rows.
int dj_ranking_advise(dj_context *context, const dj_ranking_work *work);

// A data object with a layout that the programmer chose: not unnamed memory, not a stack frame.
bool dj_spatial_is_data(const dj_ranking_work *work, uint32_t object);
// Most of each fetched block is used.
bool dj_spatial_is_used_up(const dj_spatial_evidence *evidence);

// Texts for every row: the evidence before the advice, and the saving after it.
void dj_spatial_say_steps(const dj_spatial_evidence *evidence, FILE *out);
void dj_spatial_say_saved(const dj_spatial_evidence *evidence, FILE *out);

#endif
