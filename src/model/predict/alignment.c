// SPDX-License-Identifier: MIT
// A border between layers is a distance that grows as a power of the size. Greedy: of all borders, the one is
// added that most improves the fits on both of its sides, until none does.
#include "model/predict/alignment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict/trend.h"

enum { SCANNED = 500, LOOKED_AT = 40, CANDIDATES = 32 };
static const double GAP = 1.25;     // factor between neighbouring groups
static const double LEAST = 0.004;  // share of the reuses that a layer has at each input
static const double GAIN = 0.0007;  // smallest improvement that is worth a border
static const double HOPELESS = 0.5; // errors above this are equally bad
static const double powers[] = {0, 1.0 / 6, 1.0 / 3, 0.5, 2.0 / 3, 5.0 / 6, 1};
enum { POWERS = sizeof powers / sizeof *powers };

// A border that may be added: where, with which power, and what it gains.
typedef struct candidate {
    double distance; // at the largest input
    double gain[POWERS];
    size_t layer; // that it divides, when this was computed; SIZE_MAX: not yet
    double total; // reuses of this layer
} candidate;

typedef struct search {
    const dj_signature *const *signatures;
    const double *sizes;
    size_t count;
    dj_alignment *layers;
    double costs[DJ_ALIGNED_MAX];
    candidate candidates[CANDIDATES];
    size_t candidate_count;
} search;

// How badly the reuses between two cuts can be predicted, times their share.
static double cost_of(const search *s, const double *begin, const double *end)
{
    double values[DJ_PREDICT_INPUTS], sum = 0;
    const size_t last = s->count - 1;
    const double share = (end[last] - begin[last]) / s->signatures[last]->reuses;
    size_t groups = (size_t)ceil(share * LOOKED_AT);
    groups = groups < 3 ? 3 : groups;
    for (size_t g = 0; g < groups; g++) {
        for (size_t i = 0; i < s->count; i++) {
            const double width = (end[i] - begin[i]) / (double)groups;
            values[i] = dj_signature_mean(s->signatures[i], begin[i] + (double)g * width,
                                          begin[i] + (double)(g + 1) * width);
        }
        sum += fmin(dj_trend_find(DJ_TREND_DISTANCE, s->sizes, values, s->count).error, HOPELESS);
    }
    for (size_t i = 0; i < s->count; i++)
        values[i] = end[i] - begin[i];
    const double count = fmin(dj_trend_find(DJ_TREND_COUNT, s->sizes, values, s->count).error, HOPELESS);
    return share * (sum / (double)groups + count);
}

// Where candidate `c` cuts each input. False: not within layer `layer`.
static bool cut_at(const search *s, const candidate *c, double power, size_t layer, double *out)
{
    for (size_t i = 0; i < s->count; i++) {
        const dj_signature *of = s->signatures[i];
        const double scale = pow(s->sizes[i] / s->sizes[s->count - 1], power);
        out[i] = dj_signature_below(of, (c->distance + 1) * scale - 1);
        if (out[i] < s->layers->cuts[i][layer] + LEAST * of->reuses ||
            out[i] + LEAST * of->reuses > s->layers->cuts[i][layer + 1])
            return false;
    }
    return true;
}

static void column(const search *s, size_t border, double *out)
{
    for (size_t i = 0; i < s->count; i++)
        out[i] = s->layers->cuts[i][border];
}

static void weigh(search *s, candidate *c)
{
    const size_t last = s->count - 1;
    const double *cuts = s->layers->cuts[last], at = dj_signature_below(s->signatures[last], c->distance);
    size_t layer = 0;
    double begin[DJ_PREDICT_INPUTS], middle[DJ_PREDICT_INPUTS], end[DJ_PREDICT_INPUTS];
    while (layer + 1 < s->layers->count && cuts[layer + 1] <= at)
        layer++;
    if (c->layer == layer && c->total == cuts[layer + 1] - cuts[layer])
        return;
    c->layer = layer;
    c->total = cuts[layer + 1] - cuts[layer];
    column(s, layer, begin);
    column(s, layer + 1, end);
    for (size_t p = 0; p < POWERS; p++) {
        c->gain[p] = 0;
        if (cut_at(s, c, powers[p], layer, middle))
            c->gain[p] = s->costs[layer] - cost_of(s, begin, middle) - cost_of(s, middle, end);
    }
}

static void add_border(search *s, const candidate *c, double power)
{
    const size_t layer = c->layer;
    double cuts[DJ_PREDICT_INPUTS], end[DJ_PREDICT_INPUTS];
    cut_at(s, c, power, layer, cuts);
    for (size_t i = 0; i < s->count; i++) {
        double *row = s->layers->cuts[i];
        memmove(&row[layer + 2], &row[layer + 1], (s->layers->count - layer) * sizeof *row);
        row[layer + 1] = cuts[i];
    }
    memmove(&s->costs[layer + 1], &s->costs[layer], (s->layers->count - layer) * sizeof *s->costs);
    s->layers->count++;
    for (size_t h = layer; h <= layer + 1; h++) {
        column(s, h, cuts);
        column(s, h + 1, end);
        s->costs[h] = cost_of(s, cuts, end);
    }
    for (size_t i = 0; i < s->candidate_count; i++)
        s->candidates[i].layer = SIZE_MAX;
}

static bool add_best(search *s)
{
    candidate *best = NULL;
    size_t best_power = 0;
    double most = GAIN;
    for (size_t i = 0; i < s->candidate_count; i++) {
        candidate *c = &s->candidates[i];
        weigh(s, c);
        for (size_t p = 0; p < POWERS; p++)
            if (c->gain[p] > most) {
                most = c->gain[p];
                best = c;
                best_power = p;
            }
    }
    if (best)
        add_border(s, best, powers[best_power]);
    return best != NULL;
}

// Where a new candidate goes: to the end or, if there are too many, in place of the one with the narrowest
// gap. CANDIDATES: nowhere.
static size_t place_for(search *s, const double *gaps, double gap)
{
    size_t narrowest = 0;
    if (s->candidate_count < CANDIDATES)
        return s->candidate_count++;
    for (size_t i = 1; i < CANDIDATES; i++)
        narrowest = gaps[i] < gaps[narrowest] ? i : narrowest;
    return gap > gaps[narrowest] ? narrowest : CANDIDATES;
}

// The widest gaps of the largest input.
static void find_candidates(search *s)
{
    const dj_signature *of = s->signatures[s->count - 1];
    const double width = of->reuses / SCANNED;
    double gaps[CANDIDATES] = {0}, before = dj_signature_mean(of, 0, width);
    for (size_t g = 1; g < SCANNED; g++) {
        const double here = dj_signature_mean(of, (double)g * width, (double)(g + 1) * width);
        const double gap = (here + 1) / (before + 1);
        const size_t at = gap > GAP ? place_for(s, gaps, gap) : CANDIDATES;
        if (at < CANDIDATES) {
            gaps[at] = gap;
            s->candidates[at] =
                (candidate){.distance = sqrt((here + 1) * (before + 1)) - 1, .layer = SIZE_MAX};
        }
        before = here;
    }
}

int dj_align(dj_context *context, const dj_signature *const *signatures, const double *sizes, size_t count,
             size_t most, dj_alignment *out)
{
    double begin[DJ_PREDICT_INPUTS], end[DJ_PREDICT_INPUTS];
    search *s = count > 0 ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return dj_fail_memory(context, "a prediction", sizeof *s);
    *s = (search){.signatures = signatures, .sizes = sizes, .count = count, .layers = out};
    out->count = 1;
    for (size_t i = 0; i < count; i++) {
        out->cuts[i][0] = 0;
        out->cuts[i][1] = signatures[i]->reuses;
    }
    if (most > 1 && signatures[count - 1]->reuses > 0) {
        column(s, 0, begin);
        column(s, 1, end);
        s->costs[0] = cost_of(s, begin, end);
        find_candidates(s);
        while (out->count < most && add_best(s))
            ;
    }
    free(s);
    return DJ_OK;
}
