// SPDX-License-Identifier: MIT
#include "trace/generate/distance_law.h"

#include <stdlib.h>
#include <string.h>

// 0.97^d as an integer; 0 beyond about d = 1300.
static uint64_t weigh_exponential(uint64_t *weights, uint64_t most)
{
    uint64_t weight = (uint64_t)1 << 56, count = 0;
    for (; count < most && weight > 0; count++) {
        weights[count] = weight;
        weight = (uint64_t)((unsigned __int128)weight * 97 / 100);
    }
    return count;
}

enum { MEAN = 100, STEPS = 16, WIDTH_MOST = 300, POINTS = STEPS / 2 + STEPS * WIDTH_MOST + 1 };

// The integral of e^(-x²/2σ²), σ = 33, over each interval of width 1 around 0, 1, 2, …, by Simpson's rule in
// STEPS steps. From one step to the next, the integrand is multiplied by a ratio, and that by a constant: no
// function of the C library, whose results may differ between machines.
static void integrate_normal(uint64_t *integral)
{
    const double first_ratio = 0x1.ffffc3d1f042ap-1, ratio_ratio = 0x1.ffff87a3e7982p-1;
    double value = 1, ratio = first_ratio, at[POINTS];
    for (int i = 0; i < POINTS; i++) {
        at[i] = value;
        value *= ratio;
        ratio *= ratio_ratio;
    }
    for (int distance = 0; distance < WIDTH_MOST; distance++) {
        double sum = 0;
        for (int i = -STEPS / 2; i <= STEPS / 2; i++) {
            int k = abs(distance * STEPS + i);
            int weight = abs(i) == STEPS / 2 ? 1 : (i + STEPS / 2) % 2 ? 4 : 2;
            sum += weight * at[k];
        }
        integral[distance] = (uint64_t)(sum * 0x1p48);
    }
}

static uint64_t weigh_normal(uint64_t *weights, uint64_t most)
{
    uint64_t integral[WIDTH_MOST], count = 0;
    integrate_normal(integral);
    for (; count < most && count < MEAN + WIDTH_MOST; count++)
        weights[count] = integral[count < MEAN ? MEAN - count : count - MEAN];
    return count;
}

static const struct {
    const char *name;
    uint64_t (*weigh)(uint64_t *weights, uint64_t most); // returns the number of distances
} laws[] = {{"random", NULL}, {"exponential", weigh_exponential}, {"normal", weigh_normal}};

int dj_distance_law_create(dj_context *context, const char *name, uint64_t elements, dj_distance_law *out)
{
    enum { TABLE_MOST = 2048 };
    size_t i = 0, count = sizeof laws / sizeof *laws;
    while (i < count && strcmp(laws[i].name, name) != 0)
        i++;
    if (i == count)
        return dj_fail(context, DJ_ERR_USAGE,
                       "unknown distribution '%s'; choose from random, exponential and normal", name);
    *out = (dj_distance_law){.count = elements};
    if (!laws[i].weigh)
        return DJ_OK;
    out->sums = calloc(TABLE_MOST, sizeof *out->sums);
    if (!out->sums)
        return dj_fail_memory(context, "a generator", 0);
    out->count = laws[i].weigh(out->sums, elements < TABLE_MOST ? elements : TABLE_MOST);
    for (uint64_t d = 1; d < out->count; d++)
        out->sums[d] += out->sums[d - 1];
    return DJ_OK;
}

void dj_distance_law_destroy(dj_distance_law *law)
{
    free(law->sums);
}

uint64_t dj_distance_law_draw(const dj_distance_law *law, dj_random *random)
{
    if (!law->sums)
        return dj_random_below(random, law->count);
    uint64_t target = dj_random_below(random, law->sums[law->count - 1]), first = 0;
    for (uint64_t count = law->count; count > 1;) {
        uint64_t half = count / 2;
        first += law->sums[first + half - 1] <= target ? half : 0;
        count -= half;
    }
    return first;
}
