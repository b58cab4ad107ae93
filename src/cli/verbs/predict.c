// SPDX-License-Identifier: MIT
// deja predict: the locality of a program at another input, from profiles at several.
#include <deja/deja.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cli/options/export.h"
#include "cli/options/sizes.h"
#include "cli/saved_profile.h"
#include "report/predict.h"

typedef struct options {
    const char *to, *inputs, *sizes; // as typed; NULL: not given
    dj_export_options export;
    dj_output_options output;
} options;

// Without --to, this many times the largest input.
static const double TO_DEFAULT = 10;
enum { SIZES_DEFAULT = 48 }; // powers of two

static const dj_option table[] = {
    {"to", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(options, to), "SIZE",
     "the input to predict for: a size as in --inputs; without it, an amount of distinct data, in blocks or "
     "with a "
     "unit, such as 64M (default: 10 times the largest)",
     NULL},
    {"inputs", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(options, inputs), "LIST",
     "the size of the input of each profile, in any unit, such as 100,200,400,800 (default: its distinct "
     "data)",
     NULL},
    {"sizes", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(options, sizes), "LIST",
     "cache sizes of the curve, in blocks or with a unit, such as 64,4K (default: powers of two)", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    groups->reads_files = true;
    int err = dj_groups_add(context, groups, "Prediction", table, o);
    if (!err)
        err = dj_export_list(context, &o->export, DJ_EXPORT_TOP,
                             "the predicted curve, or the hills of one profile", groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

// The profiles, and what was derived from them.
typedef struct work {
    const options *o;
    const dj_arguments *arguments;
    dj_profile **profiles;
    double *inputs; // NULL: distinct data
    double to;
    uint64_t powers[SIZES_DEFAULT];
    dj_sizes sizes;
    dj_growth_prediction *prediction;
    dj_hills *hills;
} work;

static int parse_number(dj_context *context, const char *option, const char *text, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    if (end == text || *end || !isfinite(*out) || *out <= 0)
        return dj_fail(context, DJ_ERR_USAGE, "--%s: '%s' is not a positive number, such as 5000 or 2.5",
                       option, text);
    return DJ_OK;
}

static int parse_inputs(dj_context *context, work *w)
{
    const size_t count = w->arguments->count;
    char *copy = strdup(w->o->inputs), *rest = copy, *item;
    size_t found = 0;
    w->inputs = calloc(count, sizeof *w->inputs);
    int err = copy && w->inputs ? DJ_OK : dj_fail_memory(context, "sizes of inputs", 0);
    while (!err && (item = strsep(&rest, ","))) {
        double number = 0;
        err = parse_number(context, "inputs", item, &number);
        if (!err && found < count)
            w->inputs[found] = number;
        found += !err;
    }
    if (!err && found != count)
        err = dj_fail(context, DJ_ERR_USAGE, "--inputs gives %zu size%s for %zu profiles; give one for each",
                      found, found == 1 ? "" : "s", count);
    free(copy);
    return err;
}

// Blocks, if inputs are measured by their distinct data.
static int parse_to(dj_context *context, work *w)
{
    const dj_profile *first = w->profiles[0];
    double largest = 0;
    for (size_t i = 0; i < w->arguments->count; i++)
        largest = fmax(largest, w->inputs ? w->inputs[i] : (double)w->profiles[i]->lanes[0].distinct);
    w->to = TO_DEFAULT * largest;
    if (!w->o->to)
        return DJ_OK;
    if (w->inputs)
        return parse_number(context, "to", w->o->to, &w->to);
    dj_size size;
    uint64_t blocks = 0;
    int err = dj_size_parse(context, "--to", w->o->to, &size);
    if (!err)
        err = dj_size_to_blocks(context, "--to", w->o->to, size,
                                first->provenance.unit_bytes ? first->lanes[0].id.block_bytes : 0, &blocks);
    w->to = (double)blocks;
    return err || blocks > 0 ? err
                             : dj_fail(context, DJ_ERR_USAGE, "--to: '%s' is less than one block", w->o->to);
}

static int parse_sizes(dj_context *context, work *w)
{
    const dj_profile *first = w->profiles[0];
    for (size_t i = 0; i < SIZES_DEFAULT; i++)
        w->powers[i] = UINT64_C(1) << i;
    int err =
        dj_sizes_parse(context, w->o->sizes,
                       first->provenance.unit_bytes ? first->lanes[0].id.block_bytes : 0, false, &w->sizes);
    if (!err && w->o->sizes && w->sizes.how != DJ_SIZES_LIST)
        err = dj_fail(context, DJ_ERR_USAGE,
                      "--sizes %s applies to measured curves; list the cache sizes, as in --sizes 64,4096",
                      w->o->sizes);
    return err;
}

// The curve ends where only cold misses remain.
static void trim(dj_growth_prediction *p)
{
    const double least = p->accesses > 0 ? p->cold / p->accesses : 0, rounding = 1e-9;
    size_t keep = 0;
    while (keep < p->point_count && p->points[keep].ratio > least + rounding)
        keep++;
    p->point_count = keep < p->point_count ? keep + 1 : p->point_count;
}

static int predict(dj_context *context, work *w)
{
    int err = w->o->inputs ? parse_inputs(context, w) : DJ_OK;
    if (!err)
        err = parse_to(context, w);
    if (!err)
        err = parse_sizes(context, w);
    const dj_predict_request request = {
        .profiles = (const dj_profile *const *)w->profiles,
        .names = w->arguments->items,
        .count = w->arguments->count,
        .inputs = w->inputs,
        .to = w->to,
        .sizes = w->o->sizes ? w->sizes.blocks : w->powers,
        .size_count = w->o->sizes ? w->sizes.block_count : SIZES_DEFAULT,
    };
    if (!err)
        err = dj_predict(context, &request, &w->prediction);
    if (!err && !w->o->sizes)
        trim(w->prediction);
    return err;
}

static const dj_profile *largest_profile(const work *w)
{
    size_t at = 0;
    for (size_t i = 1; i < w->arguments->count; i++)
        if (w->inputs ? w->inputs[i] > w->inputs[at]
                      : w->profiles[i]->lanes[0].distinct > w->profiles[at]->lanes[0].distinct)
            at = i;
    return w->profiles[at];
}

static int print(dj_context *context, const work *w)
{
    const dj_prediction_view view = {
        .prediction = w->prediction,
        .profile = largest_profile(w),
        .names = w->arguments->items,
        .count = w->arguments->count,
        .in_data = w->inputs == NULL,
        .top = w->o->export.top,
        .command = w->arguments->command_line,
    };
    dj_output *output = NULL;
    dj_document *document = NULL;
    int err = dj_output_open(context, &w->o->output, &output);
    if (!err && output->json && w->hills)
        dj_hills_json(w->profiles[0], w->hills, output->file);
    else if (!err && output->json)
        dj_prediction_json(&view, output->file);
    else if (!err)
        err = w->hills ? dj_document_hills(context, w->profiles[0], w->hills, &document)
                       : dj_document_prediction(context, &view, &document);
    if (!err && document)
        err = dj_export_render(context, &w->o->export, document, NULL, output);
    dj_document_destroy(document);
    return dj_output_end(context, err, &output);
}

static int check(dj_context *context, const options *o, const dj_arguments *arguments)
{
    if (arguments->count == 0)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "no profile given; name profiles of one program at %d or more inputs, or one to see its hills",
            DJ_PREDICT_LEAST);
    if (arguments->count == 1 && (o->to || o->inputs || o->sizes))
        return dj_fail(context, DJ_ERR_USAGE,
                       "--%s needs profiles of at least %d inputs; one profile only has hills",
                       o->to       ? "to"
                       : o->inputs ? "inputs"
                                   : "sizes",
                       DJ_PREDICT_LEAST);
    return dj_export_check(context, &o->export, &o->output);
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    work w = {.o = values, .arguments = arguments};
    int err = check(context, w.o, arguments);
    if (err)
        return err;
    w.profiles = calloc(arguments->count, sizeof *w.profiles);
    if (!w.profiles)
        return dj_fail_memory(context, "profiles", 0);
    for (size_t i = 0; !err && i < arguments->count; i++)
        err = dj_saved_profile_load(context, NULL, arguments->items[i], &w.profiles[i]);
    if (!err)
        err = arguments->count == 1 ? dj_hills_find(context, w.profiles[0], &w.hills) : predict(context, &w);
    if (!err)
        err = print(context, &w);
    dj_growth_prediction_destroy(w.prediction);
    dj_hills_destroy(w.hills);
    dj_sizes_free(&w.sizes);
    free(w.inputs);
    for (size_t i = 0; i < arguments->count; i++)
        dj_profile_destroy(w.profiles[i]);
    free(w.profiles);
    return err;
}

static const dj_example examples[] = {
    {"deja predict 100.json 200.json 400.json 800.json --to 64M",
     "Predicts the program at an input with 64 MiB of distinct data."},
    {"deja predict --inputs 100,200,400,800 --to 5000 100.json 200.json 400.json 800.json",
     "The same for a matrix of 5000 rows, where the inputs were matrices of 100 to 800 rows."},
    {"deja predict --sizes 32K,1M --json *.dejap", "Prints the miss ratios of two caches as JSON."},
    {"deja predict profile.json", "Shows where the reuse distances of one profile lie: its hills."},
    {NULL, NULL},
};

const dj_command dj_command_predict = {
    .name = "predict",
    .summary = "predict locality at other inputs",
    .usage = "[options] PROFILE PROFILE PROFILE PROFILE...",
    .description =
        "Predicts the reuse distances of a program at an input that was not measured, from profiles of the "
        "same "
        "program at four or more inputs, saved by 'deja run -o FILE.dejap' or 'deja analyze -o FILE.dejap'. "
        "Prints how distances grow, the miss-ratio curve, and the code and data whose reuses are evadable: "
        "their "
        "distance grows with the input.\n\n"
        "The error is estimated by leaving out each input in turn. A prediction that the profiles do not "
        "support "
        "is refused. With one profile, its hills are shown.",
    .details =
        "--to is the size of an input, and --sizes are sizes of caches. Inputs whose sizes are not given are "
        "measured by their number of distinct blocks or elements. The largest input should be at least four "
        "times "
        "the smallest. docs/predict.md describes the method and its accuracy.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
