// SPDX-License-Identifier: MIT
// The advice rules for long reuses.
#ifndef DEJA_MODEL_ADVICE_ADVICE_H
#define DEJA_MODEL_ADVICE_ADVICE_H

#include "model/advice/facts.h"

// advice/certain.c
extern const dj_advice_rule dj_rule_recycled, dj_rule_same_thread, dj_rule_recursion;
// advice/data.c
extern const dj_advice_rule dj_rule_shrink_temporary, dj_rule_relieve, dj_rule_split_hot, dj_rule_pool;
// advice/scatter.c
extern const dj_advice_rule dj_rule_partition, dj_rule_reorder;
// advice/prefetch.c
extern const dj_advice_rule dj_rule_prefetch;
// advice/nest.c
extern const dj_advice_rule dj_rule_tile_both, dj_rule_interchange, dj_rule_wavefront, dj_rule_tile;
// advice/passes.c
extern const dj_advice_rule dj_rule_initialize, dj_rule_fuse, dj_rule_call_together, dj_rule_closer;

// Sets advice, outer_loop, text, evidence and saves of a reuse that is otherwise complete. Fills in the loops
// and facts of `evidence`, which the caller has completed otherwise. The first rule that applies wins.
int dj_advise(dj_context *context, const dj_advice_rules *rules, const dj_advice_facts *facts,
              dj_reuse_evidence *evidence, const dj_reuse_paths *paths, dj_reuse *reuse);

// Code that runs before or after the program's own: the loader, the start of libc, Valgrind.
bool dj_advice_is_foreign(const dj_attribution *a, uint32_t site);
// The loop that returns to data that the same loops use again, inferred from how much is used in between.
uint32_t dj_advice_infer_carrier(const dj_reuse_evidence *evidence);
// The misses of a reuse if the data took `part` of its blocks: distances shrink, and, if one fetch then
// serves several uses in order, there are fewer fetches.
double dj_advice_saved_by_density(const dj_reuse_evidence *evidence, uint64_t blocks, double part);

// Whether most misses of the line that uses the data again are known to be irregular and independent, and
// are far enough away that hiding them helps.
bool dj_advice_can_prefetch(const dj_reuse_evidence *evidence);
// A line of evidence; nothing if the classes of misses are unknown.
void dj_advice_state_classes(const dj_reuse_evidence *evidence, FILE *out);

// The median of the distances.
double dj_advice_median(const dj_reuse_evidence *evidence);
// Wording. "about 12 KiB"
void dj_reuse_say_bytes(double bytes, FILE *out);

#endif
