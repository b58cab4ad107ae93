// SPDX-License-Identifier: MIT
// What a report lacks of a module, and what to do about it: one sentence for each state of its file.
#ifndef DEJA_REPORT_MODULE_PROBLEM_H
#define DEJA_REPORT_MODULE_PROBLEM_H

#include <deja/attribution.h>

enum { DJ_MODULE_PROBLEM_BYTES = 1024 };

// Writes the sentence without its subject, the path of the module, and returns it; NULL: nothing is lacking.
// That a file is unverified is no such sentence, since it then applies to all files of a recording.
const char *dj_module_problem(const dj_module_row *module, char text[DJ_MODULE_PROBLEM_BYTES]);
// The accesses by the code of each module, freed with free(), and of all code.
int dj_module_accesses(dj_context *context, const dj_attribution *a, uint64_t **out, uint64_t *all);

static inline bool dj_module_matters(uint64_t accesses, uint64_t all)
{
    return accesses > 0 && 100 * (double)accesses >= (double)all;
}

#endif
