// SPDX-License-Identifier: MIT
// clang-format off
static double grid[800], total;
static inline double get(int i)
{ return grid[i]; }


void sweep(void) {
    for (int step = 0; step < 10; step++)
        for (int i = 0; i < 100; i++) total += get(8 * i);
}

double sum(const double *p, double s) {
    for (int i = 0; i < 20; i++) s += p[8 * i];
    return s;
}

double helper(const double *p) { return sum(p, 0); }



int main(void) { double p[160];
    for (int i = 0; i < 20; i++) p[8 * i] = 0;
    sweep();
    return (int)(sum(p, 0) + helper(p));
}
