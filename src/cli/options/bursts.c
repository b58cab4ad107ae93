// SPDX-License-Identifier: MIT
#include "cli/options/bursts.h"

#include <stdlib.h>

#include "base/number.h"

static const double LEAST = 1e-6; // what the tracers can express
static const double BUDGET_LEAST = 1.01, BUDGET_MOST = 1000;
static const double RATE_MOST = 0.5; // with a budget: with more, a complete trace is better

static const char *const kinds[] = {"bursts", "blocks", NULL};

static const dj_option table[] = {
    {"sample", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(dj_burst_options, rate), "RATE",
     "trace only this part of the run, such as 1%, in bursts, and estimate the rest. Between bursts the "
     "program runs as under 'valgrind --tool=none' or, recompiled, as without an analyzer. The result has an "
     "error, which is printed with it",
     NULL},
    {"sample-by", 0, DJ_OPTION_CHOICE, offsetof(dj_burst_options, by), "WHAT",
     "what --sample analyzes: bursts of the run (default), or all accesses to this part of the blocks. With "
     "blocks the whole run is traced, which takes longer and shows large caches",
     kinds},
    {"sample-seed", 0, DJ_OPTION_UINT, offsetof(dj_burst_options, seed), "N",
     "when the bursts of --sample begin, or which blocks it chooses (default 0)", NULL},
    {"budget", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(dj_burst_options, budget), "FACTOR",
     DJ_BUDGET_HELP, NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_bursts_list(dj_context *context, dj_burst_options *options, dj_groups *groups)
{
    return dj_groups_add(context, groups, "Program", table, options);
}

int dj_bursts_rate(dj_context *context, const dj_burst_options *options, const char *unfit, double *rate)
{
    *rate = 1;
    if (!options->rate && !options->budget && options->by != DJ_SAMPLE_BY_BURSTS)
        return dj_fail(context, DJ_ERR_USAGE, "--sample-by needs --sample and a rate, as in --sample 1%%");
    if (!options->rate)
        return DJ_OK;
    if (!dj_number_parse_share(options->rate, rate) || !(*rate >= LEAST && *rate <= 1))
        return dj_fail(context, DJ_ERR_USAGE,
                       "--sample: '%.32s' is not a rate between 0.0001%% and 100%%, such as 1%% or 0.01",
                       options->rate);
    if (*rate < 1 && unfit)
        return dj_fail(context, DJ_ERR_USAGE, "--sample%s and %s cannot be combined: %s",
                       options->by == DJ_SAMPLE_BY_BLOCKS ? "-by blocks" : "", unfit,
                       options->by == DJ_SAMPLE_BY_BLOCKS ? "it needs the place of every access"
                                                          : "bursts do not show all that it needs");
    return DJ_OK;
}

static int parse_budget(dj_context *context, const dj_burst_options *options, const char *unfit, double *out)
{
    char *end = NULL;
    *out = strtod(options->budget, &end);
    const bool number = end != options->budget;
    end += number && *end == 'x';
    if (!number || *end || !(*out >= BUDGET_LEAST && *out <= BUDGET_MOST))
        return dj_fail(
            context, DJ_ERR_USAGE,
            "--budget: '%.32s' is not a factor from %gx to %gx, such as 5x: how many times as long "
            "as without bursts the run may take",
            options->budget, BUDGET_LEAST, BUDGET_MOST);
    if (options->by == DJ_SAMPLE_BY_BLOCKS)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--budget and --sample-by blocks cannot be combined: that traces the whole run");
    if (unfit)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--budget and %s cannot be combined: bursts do not show all that it needs", unfit);
    return DJ_OK;
}

int dj_bursts_apply(dj_context *context, const dj_burst_options *options, const char *unfit,
                    dj_session_options *session, dj_observer_list *observers)
{
    double rate;
    int err = dj_bursts_rate(context, options, unfit, &rate);
    if (!err && options->budget)
        err = parse_budget(context, options, unfit, &session->budget);
    if (err || (rate == 1 && !options->budget))
        return err;
    session->not_for_annotations = options->budget ? "--budget" : "--sample";
    if (options->by == DJ_SAMPLE_BY_BLOCKS)
        return DJ_OK;
    session->sample_rate = options->budget && rate > RATE_MOST ? RATE_MOST : rate;
    session->sample_seed = options->seed;
    return dj_observer_list_add(context, observers, "tracing", NULL);
}
