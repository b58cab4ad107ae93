// SPDX-License-Identifier: MIT
// Set-associative caches by Smith's formula (A. J. Smith, "A comparative study
// of set associative memory mapping algorithms and their use for cache and main
// memory", 1978): an access at distance d hits when fewer than `ways` of the d
// blocks in between share its set. With blocks falling into sets independently
// and evenly that is P(X < ways), X ~ Bin(d, 1/sets).
//
// The probability of one value comes from Loader's saddle-point form (C. Loader,
// "Fast and accurate computation of binomial probabilities", 2000), which does
// not cancel for large d as log-gamma does. The tail is summed away from the
// mean, where its terms fall, on the side that keeps the result accurate.
#include <deja/model.h>

#include <math.h>

// log(n!) − log(sqrt(2πn) (n/e)^n)
static double stirling_error(double n)
{
    if (n < 16)
        return lgamma(n + 1) - (n + 0.5) * log(n) + n - 0.918938533204672741780329736406;
    double square = n * n;
    return (1.0 / 12 -
            (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / square) / square) / square) / square) /
           n;
}

// x log(x/mean) + mean − x, without cancellation where x is near the mean
static double deviance(double x, double mean)
{
    if (fabs(x - mean) >= 0.1 * (x + mean))
        return x * log(x / mean) + mean - x;
    double v = (x - mean) / (x + mean), sum = (x - mean) * v, term = 2 * x * v;
    for (int j = 1; j < 1000; j++) {
        term *= v * v;
        double next = sum + term / (2 * j + 1);
        if (next == sum)
            break;
        sum = next;
    }
    return sum;
}

// P(X = k), X ~ Bin(n, 1/sets), 0 <= k <= n, sets >= 2
static double probability(double k, double n, double sets)
{
    if (k == 0)
        return exp(n * log1p(-1 / sets));
    if (k == n)
        return exp(-n * log(sets));
    double log_core = stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n / sets) -
                      deviance(n - k, n - n / sets);
    double log_scale = 1.837877066409345483560659472811 + log(k) + log1p(-k / n);
    return exp(log_core - 0.5 * log_scale);
}

double dj_smith_hit(uint64_t distance, uint64_t sets, uint64_t ways)
{
    if (distance < ways && sets > 0)
        return 1;
    if (sets <= 1 || ways == 0)
        return 0;
    double n = (double)distance, s = (double)sets, k = (double)(ways - 1), sum = 0;
    if (k <= n / s) {
        double term = probability(k, n, s);
        while (term > sum * 1e-17) {
            sum += term;
            term *= k * (s - 1) / (n - k + 1);
            k--;
        }
        return fmin(sum, 1);
    }
    k++;
    double term = probability(k, n, s);
    while (term > sum * 1e-17) {
        sum += term;
        term *= (n - k) / ((k + 1) * (s - 1));
        k++;
    }
    return fmax(1 - sum, 0);
}

// The probability of a hit at increasing distances. A step by one subtracts P(X = ways − 1) / sets, so a
// dense histogram costs a few operations for each value; the formula is restarted before rounding errors
// accumulate.
typedef struct hit_walk {
    uint64_t distance, anchor;
    uint64_t sets, ways;
    double hit, edge; // P(X < ways) and P(X = ways − 1) at `distance`
} hit_walk;

enum { STEP_MOST = 32, ANCHOR_MOST = 4096 };

static double hit_at(hit_walk *walk, uint64_t distance)
{
    double k = (double)(walk->ways - 1), s = (double)walk->sets;
    if (distance < walk->ways)
        return 1;
    if (walk->hit < 0 || distance - walk->distance > STEP_MOST || distance - walk->anchor > ANCHOR_MOST) {
        walk->anchor = walk->distance = distance;
        walk->hit = dj_smith_hit(distance, walk->sets, walk->ways);
        walk->edge = probability(k, (double)distance, s);
    }
    for (; walk->distance < distance; walk->distance++) {
        double n = (double)walk->distance;
        walk->hit = fmax(walk->hit - walk->edge / s, 0);
        walk->edge *= (1 - 1 / s) * (n + 1) / (n + 1 - k);
    }
    return walk->hit;
}

int dj_mrc_smith(dj_context *context, const dj_lane_profile *lane, uint64_t sets, uint64_t ways,
                 dj_estimate *out)
{
    if (sets == 0 || ways == 0)
        return dj_fail(context, DJ_ERR_USAGE, "a cache needs at least one set and one way");
    if (sets == 1) {
        dj_mrc_point point;
        int err = dj_mrc_lru(context, lane, &ways, 1, &point);
        if (err == DJ_OK)
            *out = (dj_estimate){.misses = (double)point.misses, .ratio = point.ratio};
        return err;
    }
    hit_walk walk = {.sets = sets, .ways = ways, .hit = -1};
    long double hits = 0;
    uint64_t accesses = lane->cold;
    bool reach = true;
    for (uint64_t distance = 0, n; (n = dj_histogram_next(lane->distance, &distance)) != 0; distance++) {
        accesses += n;
        double hit = reach ? hit_at(&walk, distance) : 0;
        hits += (long double)n * (long double)hit;
        reach = hit > 1e-25;
    }
    out->misses = (double)((long double)accesses - hits);
    out->ratio = accesses == 0 ? 0 : out->misses / (double)accesses;
    return DJ_OK;
}
