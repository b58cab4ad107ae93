// SPDX-License-Identifier: MIT
// The join of two adjacent pieces of a trace, for one lane.
//
// A first access in the later piece is a reuse if the earlier piece has its
// key. Its distance is the number of keys that the earlier piece used more
// recently and that the later one has not touched yet, plus the number of
// distinct keys that the later piece touched before. Each resolved key leaves
// the earlier order, so the first term is a count of what is still there.
// Cost: O((keys of both) log keys); exact and associative.
#ifndef DEJA_PIPELINE_PARTS_JOIN_H
#define DEJA_PIPELINE_PARTS_JOIN_H

#include "pipeline/lanes/keyer.h"
#include "pipeline/parts/pending.h"

// Answers what can be answered in `later`, of which lane `lane` is looked at,
// and makes `order` the last-access order of both pieces together; takes over
// `later_order`, whose times are already those of the joined trace.
int dj_join_lane(dj_context *context, dj_order *order, dj_pending *later, uint32_t lane,
                 const dj_keyer *keyer, dj_order *later_order);

#endif
