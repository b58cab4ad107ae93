// SPDX-License-Identifier: MIT
#include "base/ratio.h"

#include <math.h>

enum { ERRORS = 3 };

double dj_ratio_error(const dj_ratio_sums *sums, double ratio, double count, double whole)
{
    const double squares = sums->squares - 2 * ratio * sums->products + ratio * ratio * sums->lengths;
    return sqrt(fmax(squares, 0) * count / (count - 1)) / whole;
}

double dj_ratio_student(double freedom)
{
    const double v = 1 / freedom;
    return ERRORS * (1 + v * (2.5 + v * (5.75 + v * 10.06)));
}
