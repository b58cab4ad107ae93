// SPDX-License-Identifier: MIT
#include "cli/forms.h"

#include <stdio.h>

static const char *const names[] = {"text", "csv", "callgrind", "folded", NULL};

static const dj_option table[] = {
    {"export", 0, DJ_OPTION_CHOICE, offsetof(dj_form_options, form), "FORMAT",
     "form of the output; csv is a table of what --by names, and the histogram of reuse distances without "
     "it; callgrind is for callgrind_annotate and KCachegrind, folded for flame graphs",
     names},
    {"top", 0, DJ_OPTION_UINT, offsetof(dj_form_options, top), "N",
     "show the N worst of what --by names (default 10)", NULL},
    {"weight", 0, DJ_OPTION_TEXT, offsetof(dj_form_options, weight), "WHAT",
     "what --export folded counts: accesses (the default), writes, cold, distance, or misses in a cache, by "
     "its name, as in L1d",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_forms_list(dj_context *context, dj_form_options *options, dj_groups *groups)
{
    return dj_groups_add(context, groups, "Form", table, options);
}

int dj_forms_check(dj_context *context, const dj_form_options *options, const dj_output_options *output)
{
    if (output->json && options->form != DJ_FORM_TEXT)
        return dj_fail(context, DJ_ERR_USAGE, "--json and --export %s exclude each other",
                       names[options->form]);
    if (dj_output_is_columns(output) && options->form != DJ_FORM_TEXT)
        return dj_fail(context, DJ_ERR_USAGE, "-o %s and --export %s exclude each other", output->path,
                       names[options->form]);
    if (options->weight && options->form != DJ_FORM_FOLDED)
        return dj_fail(context, DJ_ERR_USAGE, "--weight is for --export folded");
    return DJ_OK;
}

static int print_text(dj_context *context, const dj_form_options *options, const dj_printing *what,
                      const dj_caches *caches, const dj_output *output)
{
    const dj_attribution_view view = {.by = what->by, .by_count = what->by_count, .top = options->top};
    dj_report_style style = dj_caches_style(output, caches);
    style.binning = what->binning;
    style.bin_width = what->bin_width;
    if (dj_profile_attribution(what->profile))
        return dj_report_attribution(context, what->profile, &view, &style, output->file);
    return dj_report_profile(context, what->profile, &style, output->file);
}

int dj_forms_print(dj_context *context, const dj_form_options *options, const dj_printing *what,
                   dj_output *output)
{
    const dj_profile *profile = what->profile;
    dj_caches caches;
    if (output->as_columns)
        return dj_profile_save_columns(context, profile, output->file);
    int err = dj_caches_find(context, what->caches, profile, &caches);
    if (err)
        return err;
    if (output->json) {
        const dj_json_view view = {.by = what->by,
                                   .by_count = what->by_count,
                                   .binning = what->binning,
                                   .bin_width = what->bin_width};
        return dj_report_json(context, profile, &view, output->file);
    }
    if (options->form == DJ_FORM_CSV || options->form == DJ_FORM_FOLDED)
        dj_output_tell_estimate(&profile->provenance);
    switch (options->form) {
    case DJ_FORM_CALLGRIND:
        return dj_report_callgrind(context, profile, output->file);
    case DJ_FORM_FOLDED:
        return dj_report_folded(context, profile, options->weight, output->file);
    case DJ_FORM_CSV:
        if (what->by_count > 0)
            return dj_report_csv_breakdowns(context, profile, what->by, what->by_count, NULL, output->file);
        return dj_report_csv_histogram(context, &profile->lanes[0], what->binning, what->bin_width,
                                       output->file);
    default:
        return print_text(context, options, what, &caches, output);
    }
}

int dj_forms_output(dj_context *context, const dj_form_options *options, const dj_printing *what,
                    const dj_output_options *to)
{
    dj_output *output = NULL;
    int err = dj_output_open(context, to, &output);
    if (!err)
        err = dj_forms_print(context, options, what, output);
    if (!err || (err == DJ_ERR_IO && output)) // the output knows best what failed
        err = dj_output_close(context, &output);
    dj_output_discard(&output);
    return err;
}
