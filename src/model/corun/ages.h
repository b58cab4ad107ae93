// SPDX-License-Identifier: MIT
// Data that member 0 of a company accesses after another member did: how long ago that was, in its accesses.
#ifndef DEJA_MODEL_CORUN_AGES_H
#define DEJA_MODEL_CORUN_AGES_H

#include "model/corun/company.h"

enum { DJ_AGE_BITS = 5, DJ_AGE_BINS = 61 << DJ_AGE_BITS };

typedef struct dj_ages {
    const dj_company *company;
    double shared[DJ_CORUN_MOST]; // share of the data of member 0 that this member accesses too
    double pending[DJ_AGE_BINS];  // accesses, by the age that their own is less than
    size_t bin_count;
} dj_ages;

void dj_ages_set(dj_ages *ages, const dj_company *company);

// The probability that another member accessed a datum of member 0 at most `age` accesses of member 0 ago.
double dj_ages_chance(const dj_ages *ages, double age);

// Adds accesses to data that another member accessed at most `age` accesses of member 0 ago.
void dj_ages_add(dj_ages *ages, double age, double weight);
// Adds the first accesses of member 0 that are not the first of all members. Returns their number.
double dj_ages_add_found(dj_ages *ages);

// Adds the distances of all these accesses.
void dj_ages_spread(const dj_ages *ages, dj_expected *expected);

#endif
