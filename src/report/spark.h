// SPDX-License-Identifier: MIT
// A histogram of distances in a line of a table.
#ifndef DEJA_REPORT_SPARK_H
#define DEJA_REPORT_SPARK_H

#include <deja/report.h>

enum { DJ_SPARK = 12 };

// DJ_SPARK columns, from distance 0 to `max`, by powers of two; `to` has room
// for 3 * DJ_SPARK + 1 bytes. Cold accesses are not in it.
const char *dj_spark(char *to, const dj_report_style *style, const dj_attribution *a, const dj_tally *tally,
                     uint64_t max);

#endif
