// SPDX-License-Identifier: MIT
#include "cli/options/forms.h"

#include <stdio.h>
#include <string.h>

// What the forms of other tools write of a profile.
static int write_callgrind(dj_context *context, const dj_form_options *options, const dj_profile *profile,
                           FILE *out)
{
    (void)options;
    return dj_report_callgrind(context, profile, out);
}

static int write_folded(dj_context *context, const dj_form_options *options, const dj_profile *profile,
                        FILE *out)
{
    return dj_report_folded(context, profile, options->weight, out);
}

static const struct {
    const char *name;
    int (*write)(dj_context *context, const dj_form_options *options, const dj_profile *profile, FILE *out);
} of_code[] = {{"callgrind", write_callgrind}, {"folded", write_folded}};

enum { OF_CODE = sizeof of_code / sizeof *of_code, EXPORT = 0, TOP, WEIGHT, OPTIONS };

static const dj_option table[] = {
    [EXPORT] = {"export", 0, DJ_OPTION_CHOICE, offsetof(dj_form_options, form), "FORMAT", NULL, NULL},
    [TOP] = {"top", 0, DJ_OPTION_UINT, offsetof(dj_form_options, top), "N",
             "show the N worst of each list (default 10)", NULL},
    [WEIGHT] = {"weight", 0, DJ_OPTION_TEXT, offsetof(dj_form_options, weight), "WHAT",
                "what --export folded counts: accesses (the default), writes, cold, distance, or misses in a "
                "cache, by its name, as in L1d",
                NULL},
};

static const char *name_of(const dj_form_options *options)
{
    size_t form = (size_t)options->form, rendered = dj_renderer_count();
    return form < rendered ? dj_renderer_get(form)->name : of_code[form - rendered].name;
}

static bool is_form(const dj_form_options *options, const char *name)
{
    return strcmp(name_of(options), name) == 0;
}

// The choices are those of the registry; they live as long as the groups.
static int list_choices(dj_context *context, unsigned which, const char *csv, dj_groups *groups,
                        dj_option *option)
{
    enum { HELP = 512 };
    const char **names = NULL;
    char *help = NULL;
    size_t count = dj_renderer_count();
    int err = dj_groups_own(context, groups, (count + OF_CODE + 1) * sizeof *names, (void **)&names);
    if (!err)
        err = dj_groups_own(context, groups, HELP, (void **)&help);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        names[i] = dj_renderer_get(i)->name;
    for (size_t i = 0; (which & DJ_FORMS_CODE) && i < OF_CODE; i++)
        names[count + i] = of_code[i].name;
    snprintf(help, HELP, "form of the output; csv is %s%s", csv,
             which & DJ_FORMS_CODE
                 ? "; callgrind is for callgrind_annotate and KCachegrind, folded for flame graphs"
                 : "");
    option->choices = names;
    option->help = help;
    return DJ_OK;
}

int dj_forms_list(dj_context *context, dj_form_options *options, unsigned which, const char *csv,
                  dj_groups *groups)
{
    dj_option *list = NULL;
    size_t count = 0;
    int err = dj_groups_own(context, groups, (OPTIONS + 1) * sizeof *list, (void **)&list);
    if (err)
        return err;
    list[count++] = table[EXPORT];
    if (which & DJ_FORMS_TOP)
        list[count++] = table[TOP];
    if (which & DJ_FORMS_CODE)
        list[count++] = table[WEIGHT];
    err = list_choices(context, which, csv, groups, &list[0]);
    return err ? err : dj_groups_add(context, groups, "Form", list, options);
}

int dj_forms_check(dj_context *context, const dj_form_options *options, const dj_output_options *output)
{
    if (output->json && options->form != 0)
        return dj_fail(context, DJ_ERR_USAGE, "--json and --export %s exclude each other", name_of(options));
    if (dj_output_is_columns(output) && options->form != 0)
        return dj_fail(context, DJ_ERR_USAGE, "-o %s and --export %s exclude each other", output->path,
                       name_of(options));
    if (options->weight && !is_form(options, "folded"))
        return dj_fail(context, DJ_ERR_USAGE, "--weight is for --export folded");
    return DJ_OK;
}

bool dj_forms_is_of_code(const dj_form_options *options)
{
    return (size_t)options->form >= dj_renderer_count();
}

const dj_renderer *dj_forms_renderer(const dj_form_options *options)
{
    return dj_renderer_get(dj_forms_is_of_code(options) ? 0 : (size_t)options->form);
}

int dj_forms_render(dj_context *context, const dj_form_options *options, const dj_document *document,
                    const dj_provenance *from, const dj_output *output)
{
    const dj_renderer *renderer = dj_forms_renderer(options);
    const dj_render_options how = {
        .width = output->columns, .unicode = output->unicode, .color = output->color};
    if (from && renderer->all_rows) // tables have no place for it
        dj_output_tell_estimate(from);
    return dj_render(context, renderer, document, &how, output->file);
}

static int make_document(dj_context *context, const dj_form_options *options, const dj_printing *what,
                         const dj_caches *caches, dj_document **out)
{
    const dj_renderer *renderer = dj_forms_renderer(options);
    const dj_attribution_view view = {.by = what->by,
                                      .by_count = what->by_count,
                                      .top = options->top,
                                      .all_rows = renderer->all_rows,
                                      .details = renderer->details,
                                      .profile = {.binning = what->binning,
                                                  .bin_width = what->bin_width,
                                                  .marks = caches->marks,
                                                  .mark_count = caches->count}};
    // Without an attribution there are no breakdowns; a table of them is refused.
    if (dj_profile_attribution(what->profile) || (renderer->all_rows && what->by_count > 0))
        return dj_document_attribution(context, what->profile, &view, out);
    return dj_document_profile(context, what->profile, &view.profile, out);
}

static int print_document(dj_context *context, const dj_form_options *options, const dj_printing *what,
                          const dj_output *output)
{
    dj_caches caches = {.count = 0};
    dj_document *document = NULL;
    int err = what->profile ? dj_caches_find(context, what->caches, what->profile, &caches) : DJ_OK;
    if (!err)
        err = what->profile ? make_document(context, options, what, &caches, &document)
                            : dj_document_create(context, &document);
    if (err)
        return err;
    dj_document_add_processes(document, what->others, what->other_count);
    err = dj_forms_render(context, options, document, what->profile ? &what->profile->provenance : NULL,
                          output);
    dj_document_destroy(document);
    return err;
}

int dj_forms_print(dj_context *context, const dj_form_options *options, const dj_printing *what,
                   dj_output *output)
{
    if (output->as_columns)
        return dj_profile_save_columns(context, what->profile, output->file);
    if (output->json) {
        const dj_json_view view = {.by = what->by,
                                   .by_count = what->by_count,
                                   .binning = what->binning,
                                   .bin_width = what->bin_width};
        return dj_report_json(context, what->profile, &view, output->file);
    }
    if (!dj_forms_is_of_code(options))
        return print_document(context, options, what, output);
    if (!what->profile)
        return DJ_OK;
    if (is_form(options, "folded"))
        dj_output_tell_estimate(&what->profile->provenance);
    return of_code[(size_t)options->form - dj_renderer_count()].write(context, options, what->profile,
                                                                      output->file);
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
