// SPDX-License-Identifier: MIT
// What the others do while member 0 of a company makes a number of accesses.
#ifndef DEJA_MODEL_CORUN_INTERVAL_H
#define DEJA_MODEL_CORUN_INTERVAL_H

#include "model/corun/company.h"

enum { DJ_INTERVAL_CASES = 96 };

// Numbers of accesses of all others.
typedef struct dj_interval_cases {
    size_t count;
    struct {
        double chance, accesses;
    } cases[DJ_INTERVAL_CASES];
} dj_interval_cases;

// Distinct data of each other member, from index 1 on, and variances that include those of its accesses.
typedef struct dj_interval_data {
    double number[DJ_CORUN_MOST], variance[DJ_CORUN_MOST];
} dj_interval_data;

// Short random intervals have cases, since their distribution is far from normal, and all in an order that
// was recorded. Otherwise there are none.
void dj_interval_list_cases(const dj_company *company, double length, dj_interval_cases *out);

// In an interval of `length` accesses of member 0, in proportion to the speeds or at random.
void dj_interval_measure(const dj_company *company, double length, dj_interval_data *out);
// If the others make so many accesses, each of them by any in proportion to the speeds.
void dj_interval_measure_case(const dj_company *company, double accesses, dj_interval_data *out);

#endif
