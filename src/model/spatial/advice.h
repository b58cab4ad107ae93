// SPDX-License-Identifier: MIT
// From the rows of a ranking to advice: what is known of each, and which rule applies.
#ifndef DEJA_MODEL_SPATIAL_ADVICE_H
#define DEJA_MODEL_SPATIAL_ADVICE_H

#include "model/spatial/ranking.h"

// spatial/rules_layout.c
extern const dj_spatial_rule dj_rule_reorder_fields, dj_rule_pad, dj_rule_split, dj_rule_regroup;
// spatial/rules_order.c
extern const dj_spatial_rule dj_rule_go_along, dj_rule_shrink, dj_rule_sort;

int dj_spatial_evidence_find(dj_context *context, const dj_ranking_work *work, const dj_rank_row *row,
                             dj_spatial_evidence *e);

// Sets advice and text of the worst rows.
int dj_ranking_advise(dj_context *context, const dj_ranking_work *work);

// One piece of data, with a layout that a programmer chose: no rest, no frame.
bool dj_spatial_is_data(const dj_ranking_work *work, uint32_t object);
// Most of each block that comes in is used.
bool dj_spatial_is_used_up(const dj_spatial_evidence *evidence);

// What is said of every row, before the advice and after it.
void dj_spatial_say_steps(const dj_spatial_evidence *evidence, FILE *out);
void dj_spatial_say_saved(const dj_spatial_evidence *evidence, FILE *out);

#endif
