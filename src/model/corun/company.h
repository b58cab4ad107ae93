// SPDX-License-Identifier: MIT
// A sharer, and those that run while it does. It is member 0; the others follow.
#ifndef DEJA_MODEL_CORUN_COMPANY_H
#define DEJA_MODEL_CORUN_COMPANY_H

#include "model/corun/expected.h"
#include "model/corun/periods.h"
#include "model/corun/window_data.h"

enum { DJ_COMPANY_CLASSES = 48 }; // smaller classes count as not shared

typedef struct dj_company_class {
    uint64_t members; // at least two
    double blocks;
} dj_company_class;

typedef struct dj_company {
    size_t count;
    const dj_window_data *distinct[DJ_CORUN_MOST];
    double ratio[DJ_CORUN_MOST]; // speed / speed of member 0
    bool twin[DJ_CORUN_MOST];    // does the same as member 0, in step with it
    double alone[DJ_CORUN_MOST]; // blocks that no other member accesses
    dj_company_class classes[DJ_COMPANY_CLASSES];
    size_t class_count;
    enum dj_corun_order order;
    const dj_joint_sharer *profile; // of member 0
    const dj_joint_cell *cells;     // its reuses in phases of this kind
    size_t cell_count;
    double share;  // of these, and of its accesses in such phases, that are in this company
    double firsts; // first accesses of member 0 in this company
    const dj_periods *periods;
    size_t period; // of them
} dj_company;

// Accesses of all others for each of member 0.
static inline double dj_company_rate(const dj_company *c)
{
    double rate = 0;
    for (size_t i = 1; i < c->count; i++)
        rate += c->ratio[i];
    return rate;
}

// The probability that none of the others among `members` accesses a given block of them all; uncovered[i]:
// that member i does not access a given one of its blocks.
static inline double dj_company_missed(const dj_company *c, uint64_t members, const double *uncovered)
{
    double missed = 1;
    for (size_t i = 1; i < c->count; i++)
        missed *= members >> i & 1 ? uncovered[i] : 1;
    return missed;
}

// The part of the accesses `from` to `end` of member 0 that it makes in this company.
double dj_company_part(const dj_company *company, double from, double end);

// Adds the expected reuses of member 0 to `expected`, and returns the number of its accesses that are cold.
typedef double dj_company_model(const dj_company *company, dj_expected *expected);

// Applies the model to each sharer, in each period in which the same sharers run; with `phases`, in phases of
// the same kind.
int dj_company_predict(dj_context *context, const dj_corun *corun, dj_company_model *model, bool phases,
                       dj_prediction *out);

#endif
