// SPDX-License-Identifier: MIT
// deja co-run: predict caches that several programs share, from the profile of each.
#include "cli/verbs/co_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/sharers.h"
#include "cli/progress.h"
#include "cli/saved_profile.h"

static const char *const models[] = {"joint", "jiang", NULL};
enum { BY_MISSES, BY_SLOWDOWN, MOST_DEFAULT = 2 };
#define NOT_GIVEN UINT64_MAX
#define SPEED_FACTOR_MOST 0x1p40 // as for orders of traces
static const char *const costs[] = {"misses", "slowdown", NULL};
static const char *const scalings[] = {"weak", "strong", NULL}; // as enum dj_corun_scaling

#define AT(field) offsetof(dj_co_run_options, field)
static const dj_option table[] = {
    {"most", 0, DJ_OPTION_UINT | DJ_OPTION_COMMON, AT(most), "N",
     "groups of up to N profiles, from 2 to 4 (default 2)", NULL},
    {"size", 0, DJ_OPTION_UINT | DJ_OPTION_COMMON, AT(size), "N",
     "size of the shared cache in blocks or keys (default: the largest of --caches)", NULL},
    {"speeds", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(speeds), "LIST",
     "relative speeds of the programs, such as 1,2.5 (default: all equal)", NULL},
    {"cycles", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(cycles), "LIST",
     "cycles per access without misses, of all programs or of each; the speeds follow from the misses", NULL},
    {"penalty", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(penalty), "LIST",
     "cycles that a miss adds, with --cycles, for all programs or each", NULL},
    {"pair-by", 0, DJ_OPTION_CHOICE, AT(by), "WHAT",
     "best pairs have the fewest misses (default), or the least slowdown (with --cycles)", costs},
    {"random", 0, DJ_OPTION_FLAG, AT(random), NULL,
     "accesses alternate at random, not in proportion to the speeds", NULL},
    {"separate", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, AT(separate), NULL,
     "separate address spaces: equal addresses are different data", NULL},
    {"model", 0, DJ_OPTION_CHOICE, AT(model), "NAME", "joint (default), or jiang (Jiang and others 2010)",
     models},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const dj_option threads_table[] = {
    {"threads", 0, DJ_OPTION_UINT | DJ_OPTION_COMMON, AT(threads), "N",
     "predict 1 to N threads that run the code of one profile, instead of several programs", NULL},
    {"scaling", 0, DJ_OPTION_CHOICE | DJ_OPTION_COMMON, AT(scaling), "HOW",
     "weak (default): each thread has as much data of its own; strong: they divide the data", scalings},
    {"shared", 0, DJ_OPTION_REAL, AT(shared), "PART",
     "weak scaling: part of the blocks that all threads access, from 0 to 1 (default 0)", NULL},
    {"cores", 0, DJ_OPTION_UINT, AT(cores), "N",
     "more threads than N share cores, as hyperthreads do (default: a core for each)", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};
#undef AT

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    dj_co_run_options *o = values;
    o->most = o->size = o->threads = NOT_GIVEN;
    groups->reads_files = true;
    int err = dj_groups_add(context, groups, "Prediction", table, o);
    if (!err)
        err = dj_groups_add(context, groups, "Threads", threads_table, o);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_export_list(context, &o->export, 0, "the miss ratio of each program in each group", groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int load(dj_context *context, const dj_arguments *arguments, dj_co_run *w)
{
    for (size_t i = 0; i < arguments->count; i++) {
        int err = dj_saved_profile_load(context, NULL, arguments->items[i], &w->profiles[i]);
        if (err)
            return err;
        const dj_lane_profile *lane = &w->profiles[i]->lanes[0], *first = &w->profiles[0]->lanes[0];
        const dj_joint *joint = dj_lane_joint(lane);
        if (!joint || joint->count != 1)
            return dj_fail(context, DJ_ERR_INPUT,
                           "%s lacks section joint of one program; create it with 'deja analyze --joint'",
                           arguments->items[i]);
        const dj_provenance *from = &w->profiles[i]->provenance, *other = &w->profiles[0]->provenance;
        if (strcmp(from->unit, other->unit) != 0)
            return dj_fail(
                context, DJ_ERR_INPUT,
                "%s counts %ss, and %s counts %ss; only profiles of the same kind can share a cache",
                arguments->items[i], from->unit, arguments->items[0], other->unit);
        if (from->unit_bytes != other->unit_bytes)
            return dj_fail(context, DJ_ERR_INPUT,
                           "the addresses of %s and %s count different units; convert one of the traces",
                           arguments->items[i], arguments->items[0]);
        if (lane->id.block_bytes != first->id.block_bytes)
            return dj_fail(context, DJ_ERR_INPUT,
                           "%s has blocks of %llu %s%s, and %s of %llu; analyze them with the same --block",
                           arguments->items[i], (unsigned long long)lane->id.block_bytes,
                           from->unit_bytes ? "byte" : from->unit, lane->id.block_bytes == 1 ? "" : "s",
                           arguments->items[0], (unsigned long long)first->id.block_bytes);
        w->sharers[i] = (dj_corun_sharer){&joint->rows[0], 1};
    }
    w->corun = (dj_corun){.sharers = w->sharers, .count = arguments->count, .again = true};
    return DJ_OK;
}

// Numbers of an option: one for each profile, or one for all if `common`.
static int parse_each(dj_context *context, const char *option, const char *text, bool common, size_t profiles,
                      double *out)
{
    double numbers[DJ_SPEEDS_MOST];
    size_t count = 0;
    int err = dj_sharers_parse_numbers(context, option, text, numbers, &count);
    if (!err && count != profiles && !(common && count == 1))
        err = dj_fail(context, DJ_ERR_USAGE, "--%s gives %zu number%s for %zu profile%s; give one for each%s",
                      option, count, count == 1 ? "" : "s", profiles, profiles == 1 ? "" : "s",
                      common ? ", or one for all" : "");
    for (size_t i = 0; !err && i < profiles; i++)
        out[i] = numbers[count == 1 ? 0 : i];
    return err;
}

static int set_speeds(dj_context *context, const dj_co_run_options *o, dj_co_run *w)
{
    double speeds[DJ_CORUN_MOST], cycles[DJ_CORUN_MOST], penalty[DJ_CORUN_MOST];
    const size_t count = w->corun.count;
    int err = o->speeds ? parse_each(context, "speeds", o->speeds, false, count, speeds) : DJ_OK;
    for (size_t i = 0; !err && o->speeds && i < count; i++) {
        w->sharers[i].speed = speeds[i];
        for (size_t k = 0; k < i; k++)
            if (fmax(speeds[i], speeds[k]) > SPEED_FACTOR_MOST * fmin(speeds[i], speeds[k]))
                err = dj_fail(context, DJ_ERR_USAGE,
                              "speeds %g and %g differ by a factor of more than 2^40; the slower program "
                              "would not run at all",
                              speeds[k], speeds[i]);
    }
    if (err || !o->cycles)
        return err;
    err = parse_each(context, "cycles", o->cycles, true, count, cycles);
    if (!err)
        err = parse_each(context, "penalty", o->penalty, true, count, penalty);
    for (size_t i = 0; !err && i < count; i++)
        w->cores[i] = (dj_corun_core){cycles[i], penalty[i]};
    w->view.cores = w->cores;
    return err;
}

static int choose_cache(dj_context *context, const dj_co_run_options *o, dj_co_run *w)
{
    const dj_provenance *from = &w->profiles[0]->provenance;
    w->view.cache = "cache";
    w->view.unit = from->unit_bytes == 0 && w->profiles[0]->lanes[0].id.block_bytes == 1 ? from->unit : NULL;
    w->view.blocks = o->size;
    if (o->size != NOT_GIVEN)
        return DJ_OK;
    int err = dj_caches_find(context, &o->caches, w->profiles[0], &w->caches);
    if (err || w->caches.count == 0)
        return err ? err
                   : dj_fail(context, DJ_ERR_USAGE,
                             "the size of the shared cache is unknown; state it with --caches or --size");
    dj_caches_sort(&w->caches);
    w->view.cache = w->caches.shapes[w->caches.count - 1].name;
    w->view.blocks = w->caches.shapes[w->caches.count - 1].size_blocks;
    return DJ_OK;
}

static int find_classes(dj_context *context, dj_co_run *w)
{
    const dj_joint_sharer *rows[DJ_CORUN_MOST];
    for (size_t i = 0; i < w->corun.count; i++)
        rows[i] = w->sharers[i].profile;
    int err = dj_corun_classes(context, rows, w->corun.count, &w->classes, &w->corun.class_count);
    w->corun.classes = err ? NULL : w->classes;
    return err;
}

// Of two solutions, the worse counts.
static double cost_of(const dj_co_run *w, const dj_corun_group *group)
{
    double sum = 0;
    for (size_t k = 0; k < group->count; k++)
        sum += w->view.by_slowdown ? dj_corun_slowdown(&w->view, group, k)
                                   : group->ratio[k] * (double)w->sharers[group->sharer[k]].profile->accesses;
    return sum;
}

static int pair(dj_context *context, dj_co_run *w)
{
    const size_t count = w->corun.count;
    double cost[DJ_CORUN_PAIRED * DJ_CORUN_PAIRED] = {0};
    if (count > DJ_CORUN_PAIRED)
        dj_output_message("note: ", "no best pairs: they are searched for at most 20 profiles");
    if (count > DJ_CORUN_PAIRED || count < 3)
        return DJ_OK;
    for (size_t g = 0; g < w->view.group_count; g++) {
        const dj_corun_group *group = &w->groups[g];
        if (group->count > 2)
            continue;
        double *to = &cost[group->sharer[0] * count + group->sharer[group->count - 1]];
        const double here = cost_of(w, group);
        *to = group->second && *to > here ? *to : here;
    }
    w->view.partner = w->partner;
    return dj_corun_pair(context, cost, count, w->partner, &w->view.cost);
}

static void show_progress(void *meter, size_t done, size_t all)
{
    dj_meter_count(meter, done, all, "groups");
}

static int find_groups(dj_context *context, const dj_co_run_options *o, dj_co_run *w)
{
    dj_meter meter;
    dj_meter_start(&meter);
    w->corun.on_progress = show_progress;
    w->corun.user = &meter;
    int err = dj_corun_groups(context, &w->corun, w->model, o->most == NOT_GIVEN ? MOST_DEFAULT : o->most,
                              w->view.blocks, w->view.cores, &w->groups, &w->view.group_count);
    w->corun.on_progress = NULL;
    w->corun.user = NULL;
    dj_meter_stop(&meter);
    return err;
}

static int predict(dj_context *context, const dj_co_run_options *o, dj_co_run *w)
{
    int err = load(context, w->names, w);
    if (!err)
        err = dj_label_sharers(context, w->names->items, w->names->count, w->labels);
    if (!err)
        err = set_speeds(context, o, w);
    if (!err)
        err = choose_cache(context, o, w);
    w->corun.order = o->random ? DJ_CORUN_RANDOM : DJ_CORUN_STEADY;
    w->model = dj_corun_model_find(models[o->model]);
    if (!err && o->threads != NOT_GIVEN)
        return dj_co_run_threads(context, o, w);
    if (!err && !o->separate)
        err = find_classes(context, w);
    if (!err)
        err = find_groups(context, o, w);
    w->view.groups = w->groups;
    w->view.names = (const char *const *)w->labels;
    w->view.command = w->names->command_line;
    w->view.corun = &w->corun;
    w->view.by_slowdown = o->by == BY_SLOWDOWN;
    if (!err)
        err = pair(context, w);
    return err ? err : dj_co_run_print_groups(context, o, w);
}

static int check_threads(dj_context *context, const dj_co_run_options *o, size_t profiles)
{
    if (o->threads == NOT_GIVEN)
        return o->scaling || o->shared != 0 || o->cores
                   ? dj_fail(context, DJ_ERR_USAGE, "--scaling, --shared and --cores need --threads")
                   : DJ_OK;
    if (o->threads == 0 || o->threads > DJ_CORUN_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "--threads %llu: the number must be from 1 to %d",
                       (unsigned long long)o->threads, DJ_CORUN_MOST);
    if (profiles != 1)
        return dj_fail(context, DJ_ERR_USAGE, "--threads needs the profile of one thread, not %zu profiles",
                       profiles);
    if (o->speeds || o->by || o->separate || o->most != NOT_GIVEN)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--threads: all threads run the same code, so --most, --speeds, --pair-by and "
                       "--separate do not apply");
    return DJ_OK;
}

static int check(dj_context *context, const dj_co_run_options *o, size_t profiles)
{
    if (o->threads == NOT_GIVEN && (profiles < 2 || profiles > DJ_CORUN_MOST))
        return dj_fail(context, DJ_ERR_USAGE,
                       "name 2 to %d profiles that 'deja analyze --joint' has written, not %zu",
                       DJ_CORUN_MOST, profiles);
    if (o->most != NOT_GIVEN && (o->most < 2 || o->most > DJ_CORUN_SUBSET))
        return dj_fail(context, DJ_ERR_USAGE, "--most %llu: groups have 2 to %d profiles",
                       (unsigned long long)o->most, DJ_CORUN_SUBSET);
    if (o->size == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--size 0: a cache has at least 1 block or key");
    if (!o->cycles != !o->penalty)
        return dj_fail(context, DJ_ERR_USAGE, "--cycles and --penalty are needed together");
    if (o->cycles && o->speeds)
        return dj_fail(context, DJ_ERR_USAGE, "--speeds states what --cycles computes; use one of them");
    if (o->by == BY_SLOWDOWN && !o->cycles)
        return dj_fail(context, DJ_ERR_USAGE, "--pair-by slowdown needs --cycles and --penalty");
    return check_threads(context, o, profiles);
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const dj_co_run_options *o = values;
    int err = dj_export_check(context, &o->export, &o->output);
    if (!err)
        err = check(context, o, arguments->count);
    dj_co_run *w = err ? NULL : calloc(1, sizeof *w);
    if (!err && !w)
        err = dj_fail_memory(context, "profiles", sizeof *w);
    if (w) {
        w->names = arguments;
        err = predict(context, o, w);
        for (size_t i = 0; i < DJ_CORUN_MOST; i++) {
            dj_profile_destroy(w->profiles[i]);
            free(w->labels[i]);
        }
        free(w->classes);
        free(w->groups);
    }
    free(w);
    return err;
}

static const dj_example examples[] = {
    {"deja analyze --joint -o a.dejap a.trace", "Creates the profile of a program."},
    {"deja co-run --caches L3=32M a.dejap b.dejap c.dejap d.dejap",
     "The misses of each in every pair that shares the L3 cache, and the best pairs."},
    {"deja co-run --caches L3=32M --cycles 1.5 --penalty 200 --pair-by slowdown a.dejap b.dejap c.dejap",
     "The same with the slowdown of each, and the pairs that lose the least time."},
    {"deja co-run --caches L2=1M --threads 8 --cores 4 --cycles 1.5 --penalty 40 a.dejap",
     "Whether up to 8 threads of a program pay on 4 cores with two hyperthreads each."},
    {NULL, NULL},
};

const dj_command dj_command_co_run = {
    .name = "co-run",
    .summary = "predict a cache that several programs share from their profiles",
    .usage = "[options] PROFILE...",
    .description =
        "Predicts the miss ratio of each program in a cache that it shares with one or more of the "
        "others, for every group, and finds the pairs with the fewest misses. The profiles are made "
        "by 'deja analyze --joint', with the same block size, one for each program.",
    .details =
        "All programs are assumed to run all the time, and to meet at any of their phases. How many blocks "
        "they have in common is estimated from samples of their blocks. 'deja concurrent' measures the same "
        "from traces.\n"
        "\n"
        "With --cycles and --penalty, an access takes the stated cycles, and more if it misses. Speeds and "
        "miss ratios depend on each other; those that fit are found. Two programs may have two solutions: "
        "both are printed.\n"
        "\n"
        "With --threads, the profile is that of one thread. Weak scaling: N threads do N times its work, "
        "each with as much data. Strong scaling: they divide its work and data, and only bounds are known.",
    .examples = examples,
    .options_bytes = sizeof(dj_co_run_options),
    .list_options = list_options,
    .run = run,
};
