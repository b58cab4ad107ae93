// SPDX-License-Identifier: MIT
// Phases of two runs that correspond.
#include <deja/phases.h>

#include <math.h>

// How unlike two phases are: in doublings of their distinct data, and in their miss ratios.
static double unlike(const dj_locality_phase *a, const dj_locality_phase *b)
{
    enum { RATIO_DOUBLINGS = 4 }; // all accesses miss in one of them: as much as 16 times the data
    double most = 0;
    for (unsigned k = 0; k < DJ_PHASE_SIZES; k++)
        most = fmax(most, fabs(a->ratio[k] - b->ratio[k]));
    return fabs(log2((a->distinct + 1) / (b->distinct + 1))) + RATIO_DOUBLINGS * most;
}

void dj_phases_match(const dj_phase_list *before, const dj_phase_list *after, size_t *match)
{
    const bool swapped = before->phase_count > after->phase_count;
    const dj_phase_list *few = swapped ? after : before, *many = swapped ? before : after;
    const size_t n = few->phase_count, m = many->phase_count;
    // Of the first i and j phases: how unlike those are that correspond, if all i do.
    double least[DJ_PHASES_MOST + 1][DJ_PHASES_MOST + 1] = {{0}};
    for (size_t i = 1; i <= n; i++)
        for (size_t j = i; j <= m - (n - i); j++) {
            const double pair = least[i - 1][j - 1] + unlike(&few->phases[i - 1], &many->phases[j - 1]);
            least[i][j] = j > i ? fmin(pair, least[i][j - 1]) : pair;
        }
    for (size_t i = 0; i < before->phase_count; i++)
        match[i] = SIZE_MAX;
    for (size_t i = n, j = m; i > 0; i--, j--) {
        while (j > i && least[i][j] == least[i][j - 1])
            j--;
        match[swapped ? j - 1 : i - 1] = swapped ? i - 1 : j - 1;
    }
}
