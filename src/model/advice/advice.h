// SPDX-License-Identifier: MIT
// The advice rules for long reuses.
#ifndef DEJA_MODEL_ADVICE_ADVICE_H
#define DEJA_MODEL_ADVICE_ADVICE_H

#include "model/reuse/reuse.h"

// advice/certain.c
extern const dj_advice_rule dj_rule_recycled, dj_rule_same_thread, dj_rule_recursion;
// advice/nest.c
extern const dj_advice_rule dj_rule_interchange, dj_rule_tile, dj_rule_reorder;
// advice/passes.c
extern const dj_advice_rule dj_rule_initialize, dj_rule_next_iteration, dj_rule_fuse;
// advice/distant.c
extern const dj_advice_rule dj_rule_recompute, dj_rule_call_together, dj_rule_closer;

// Sets advice, outer_loop and text of a reuse that is otherwise complete. Fills in the loops of `evidence`,
// which the caller has completed otherwise. The first rule that applies wins.
int dj_advise(dj_context *context, const dj_advice_rules *rules, dj_reuse_evidence *evidence,
              const dj_reuse_paths *paths, dj_reuse *reuse);

#endif
