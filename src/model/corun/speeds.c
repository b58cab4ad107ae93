// SPDX-License-Identifier: MIT
// Speeds and miss ratios that fit each other. If the second of two sharers is faster relative to the first,
// it takes more of the cache: the first misses more, it misses less, and so its relative speed by the miss
// ratios does not fall. This map is monotone and bounded. Repeated from below it ends at the lowest fixed
// point, repeated from above at the highest one. Growing steps and bisection find the same sooner.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/corun/models.h"

enum { STEPS_MOST = 200, EVEN_STEPS = 100, PLAIN_STEPS = 20 };
// Relative difference of a speed and the one that follows from its miss ratio: the aim, and the most. Miss
// ratios have small jumps, because a prediction counts whole blocks.
static const double SETTLED = 1e-6, CLOSE = 1e-3;

typedef struct solver {
    dj_context *context;
    const dj_corun_model *model;
    const dj_corun_core *cores;
    uint64_t blocks;
    dj_corun corun;
    dj_corun_sharer sharers[DJ_CORUN_MOST];
} solver;

// The speeds that follow from the miss ratios at the present ones.
static int follow(solver *s, double *next)
{
    dj_prediction predictions[DJ_CORUN_MOST];
    int err = dj_corun_predict(s->context, s->model, &s->corun, predictions);
    for (size_t i = 0; !err && i < s->corun.count; i++) {
        const double all = predictions[i].cold + predictions[i].reuses;
        const double ratio = dj_prediction_misses(&predictions[i], s->blocks) / all;
        next[i] = 1 / (s->cores[i].cycles + s->cores[i].penalty * ratio);
        dj_prediction_free(&predictions[i]);
    }
    return err;
}

// The best speeds so far.
typedef struct found {
    double off; // the difference
    double speeds[DJ_CORUN_MOST];
} found;

static void keep(const solver *s, double off, const double *speeds, found *best)
{
    if (off < best->off) {
        best->off = off;
        memcpy(best->speeds, speeds, s->corun.count * sizeof *speeds);
    }
}

static int end(const solver *s, const found *best, double *out)
{
    memcpy(out, best->speeds, s->corun.count * sizeof *out);
    return best->off <= CLOSE
               ? DJ_OK
               : dj_fail(s->context, DJ_ERR_UNSUPPORTED,
                         "no speeds of %zu sharers were found that fit their miss ratios: the best differ by "
                         "%.2g %%, and at most %.1f %% is allowed; state the speeds instead",
                         s->corun.count, 100 * best->off, 100 * CLOSE);
}

// Any number of sharers: smaller and smaller steps.
static int settle(solver *s, double *out)
{
    found best = {.off = INFINITY};
    for (unsigned steps = 0; best.off > SETTLED && steps < STEPS_MOST; steps++) {
        const double damping = steps < EVEN_STEPS ? 0.5 : 5.0 / (10 + steps - EVEN_STEPS);
        double off = 0;
        int err = follow(s, out);
        if (err)
            return err;
        for (size_t i = 0; i < s->corun.count; i++) {
            off = fmax(off, fabs(out[i] / s->sharers[i].speed - 1));
            s->sharers[i].speed += damping * (out[i] - s->sharers[i].speed);
        }
        keep(s, off, out, &best);
    }
    return end(s, &best, out);
}

// The logarithm of the relative speed of the second of two sharers that follows from `at`, minus `at`.
static int follow_ratio(solver *s, double at, double *out, double *rise)
{
    s->sharers[0].speed = 1;
    s->sharers[1].speed = exp(at);
    int err = follow(s, out);
    *rise = err ? 0 : log(out[1] / out[0]) - at;
    return err;
}

// Two sharers: the solution next to `from`, the lowest relative speed (`sign` 1) or the highest one (-1). The
// first steps are those of the map. Later ones grow; one that passes the solution is halved until it does
// not.
static int settle_two(solver *s, double sign, double from, double *out)
{
    double before = from, to = from, past = NAN, rise = 0;
    found best = {.off = INFINITY};
    for (unsigned steps = 0; best.off > SETTLED && steps < STEPS_MOST; steps++) {
        int err = follow_ratio(s, to, out, &rise);
        if (err)
            return err;
        keep(s, fabs(rise), out, &best);
        if (sign * rise > 0)
            before = to;
        else
            past = to;
        to = isnan(past) ? before + rise * (steps < PLAIN_STEPS ? 1 : steps - PLAIN_STEPS + 2)
                         : before + (past - before) / 2;
    }
    return end(s, &best, out);
}

// The logarithm of the relative speed of the second if all accesses of sharer `missing` miss, and no others.
static double bound(const solver *s, size_t missing)
{
    double cycles[2];
    for (size_t i = 0; i < 2; i++)
        cycles[i] = s->cores[i].cycles + (i == missing ? s->cores[i].penalty : 0);
    return log(cycles[0] / cycles[1]);
}

int dj_corun_speeds(dj_context *context, const dj_corun *corun, const dj_corun_model *model, uint64_t blocks,
                    const dj_corun_core *cores, double *low, double *high)
{
    solver s = {context, model, cores, blocks, *corun, {{0}}};
    if (corun->count > DJ_CORUN_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "at most %d sharers can be predicted, not %zu", DJ_CORUN_MOST,
                       corun->count);
    for (size_t i = 0; i < corun->count; i++)
        if (!(cores[i].cycles > 0) || !(cores[i].penalty >= 0))
            return dj_fail(context, DJ_ERR_USAGE,
                           "sharer %zu: cycles per access must be positive, and a penalty not negative",
                           i + 1);
    memcpy(s.sharers, corun->sharers, corun->count * sizeof *s.sharers);
    s.corun.sharers = s.sharers;
    for (size_t i = 0; i < corun->count; i++)
        s.sharers[i].speed = 1 / cores[i].cycles;
    if (corun->count == 2) {
        int err = settle_two(&s, 1, bound(&s, 1), low);
        return err ? err : settle_two(&s, -1, bound(&s, 0), high);
    }
    int err = settle(&s, low);
    if (!err)
        memcpy(high, low, corun->count * sizeof *high);
    return err;
}
