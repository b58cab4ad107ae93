// SPDX-License-Identifier: MIT
// What a report lacks of a module, and what to do about it: one sentence for each state of its file.
#ifndef DEJA_REPORT_MODULE_PROBLEM_H
#define DEJA_REPORT_MODULE_PROBLEM_H

#include <deja/attribution.h>

enum { DJ_MODULE_PROBLEM_BYTES = 512 };

// Writes the sentence without its subject, the path of the module, and returns it; NULL: nothing is lacking.
const char *dj_module_problem(const dj_module_row *module, char text[DJ_MODULE_PROBLEM_BYTES]);

#endif
