// SPDX-License-Identifier: MIT
#include "cli/options/export.h"

#include <deja/sharing.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibrate.h"

// Formats of other tools.
static int write_callgrind(dj_context *context, const dj_export_options *options, const dj_profile *profile,
                           FILE *out)
{
    (void)options;
    return dj_report_callgrind(context, profile, out);
}

static int write_folded(dj_context *context, const dj_export_options *options, const dj_profile *profile,
                        FILE *out)
{
    return dj_report_folded(context, profile, options->weight, out);
}

static const struct {
    const char *name;
    int (*write)(dj_context *context, const dj_export_options *options, const dj_profile *profile, FILE *out);
} tool_formats[] = {{"callgrind", write_callgrind}, {"folded", write_folded}};

enum {
    TOOL_FORMATS = sizeof tool_formats / sizeof *tool_formats,
    EXPORT = 0,
    TOP,
    FULL_NAMES,
    ADVICE,
    WEIGHT,
    SORT,
    OWN,
    OPTIONS
};

static const char *const weights[] = {"accesses", "writes", "cold", "distance", NULL};

static const char *const orders[] = {"misses", "time", NULL}; // in the order of dj_sort

static const dj_option table[] = {
    [EXPORT] = {"export", 0, DJ_OPTION_CHOICE | DJ_OPTION_COMMON, offsetof(dj_export_options, format),
                "FORMAT", NULL, NULL},
    [TOP] = {"top", 0, DJ_OPTION_UINT | DJ_OPTION_COMMON, offsetof(dj_export_options, top), "N",
             "show the N worst entries of each table (default 10)", NULL},
    [FULL_NAMES] = {"full-names", 0, DJ_OPTION_FLAG, offsetof(dj_export_options, full_names), NULL,
                    "show names of C++ and Rust functions with template arguments and parameters, as csv "
                    "and JSON do",
                    NULL},
    [ADVICE] = {"advice", 0, DJ_OPTION_FLAG, offsetof(dj_export_options, advice), NULL,
                "show all advice with its evidence and what it would save", NULL},
    [WEIGHT] = {"weight", 0, DJ_OPTION_TEXT, offsetof(dj_export_options, weight), "WHAT",
                "what --export folded counts: accesses (default), writes, cold, distance, or the name of a "
                "cache, such as L1d, for its misses",
                weights},
    [SORT] = {"sort", 0, DJ_OPTION_CHOICE, offsetof(dj_export_options, sort), "ORDER",
              "sort tables by misses (default), or by time: estimated seconds that the processor waits for "
              "memory, from costs measured by 'deja info machine --calibrate', or typical ones",
              orders},
    [OWN] = {"own", 0, DJ_OPTION_TEXT | DJ_OPTION_FOLDER, offsetof(dj_export_options, own), "DIR",
             "also charge accesses of libraries to the first line of a file below DIR in the calling context "
             "(default: the sources of the executable, without system headers)",
             NULL},
};

static const char *name_of(const dj_export_options *options)
{
    size_t format = (size_t)options->format, rendered = dj_renderer_count();
    return format < rendered ? dj_renderer_get(format)->name : tool_formats[format - rendered].name;
}

static bool is_format(const dj_export_options *options, const char *name)
{
    return strcmp(name_of(options), name) == 0;
}

// Fills in choices and help from the registry of renderers. They live as long as the groups.
static int list_choices(dj_context *context, unsigned which, const char *csv, dj_groups *groups,
                        dj_option *option)
{
    enum { HELP = 512 };
    const char **names = NULL;
    char *help = NULL;
    size_t count = dj_renderer_count();
    int err = dj_groups_own(context, groups, (count + TOOL_FORMATS + 1) * sizeof *names, (void **)&names);
    if (!err)
        err = dj_groups_own(context, groups, HELP, (void **)&help);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        names[i] = dj_renderer_get(i)->name;
    for (size_t i = 0; (which & DJ_EXPORT_TOOLS) && i < TOOL_FORMATS; i++)
        names[count + i] = tool_formats[i].name;
    snprintf(help, HELP, "output format. csv contains %s%s", csv,
             which & DJ_EXPORT_TOOLS
                 ? "; callgrind is for callgrind_annotate and KCachegrind, folded for flame graphs"
                 : "");
    option->choices = names;
    option->help = help;
    return DJ_OK;
}

int dj_export_list(dj_context *context, dj_export_options *options, unsigned which, const char *csv,
                   dj_groups *groups)
{
    dj_option *list = NULL;
    size_t count = 0;
    int err = dj_groups_own(context, groups, (OPTIONS + 1) * sizeof *list, (void **)&list);
    if (err)
        return err;
    list[count++] = table[EXPORT];
    if (which & DJ_EXPORT_TOP)
        list[count++] = table[TOP];
    if (which & (DJ_EXPORT_TOOLS | DJ_EXPORT_NAMES))
        list[count++] = table[FULL_NAMES];
    if (which & DJ_EXPORT_TOOLS)
        list[count++] = table[ADVICE];
    if (which & DJ_EXPORT_TOOLS)
        list[count++] = table[WEIGHT];
    if (which & DJ_EXPORT_TOOLS)
        list[count++] = table[SORT];
    if (which & DJ_EXPORT_TOOLS)
        list[count++] = table[OWN];
    err = list_choices(context, which, csv, groups, &list[0]);
    return err ? err : dj_groups_add(context, groups, "Format", list, options);
}

int dj_export_check(dj_context *context, const dj_export_options *options, const dj_output_options *output)
{
    if (output->json && options->format != 0)
        return dj_fail(context, DJ_ERR_USAGE, "--json and --export %s cannot be combined", name_of(options));
    if (dj_output_is_columns(output) && options->format != 0)
        return dj_fail(context, DJ_ERR_USAGE, "-o %s and --export %s cannot be combined", output->path,
                       name_of(options));
    if (options->sort == DJ_SORT_TIME && dj_export_is_for_tool(options))
        return dj_fail(context, DJ_ERR_USAGE, "--sort time and --export %s cannot be combined",
                       name_of(options));
    if (options->weight && !is_format(options, "folded"))
        return dj_fail(context, DJ_ERR_USAGE, "--weight needs --export folded");
    return DJ_OK;
}

bool dj_export_is_for_tool(const dj_export_options *options)
{
    return (size_t)options->format >= dj_renderer_count();
}

const dj_renderer *dj_export_renderer(const dj_export_options *options)
{
    return dj_renderer_get(dj_export_is_for_tool(options) ? 0 : (size_t)options->format);
}

int dj_export_render(dj_context *context, const dj_export_options *options, const dj_document *document,
                     const dj_provenance *from, const dj_output *output)
{
    const dj_renderer *renderer = dj_export_renderer(options);
    const dj_render_options how = {
        .width = output->columns, .unicode = output->unicode, .color = output->color};
    if (from && renderer->all_rows) // a table has no place for the warning
        dj_output_warn_estimate(from);
    return dj_render(context, renderer, document, &how, output->file);
}

int dj_export_names(dj_context *context, const dj_export_options *options, const dj_profile *profile,
                    dj_short_names **out)
{
    dj_attribution *a = profile ? dj_profile_attribution(profile) : NULL;
    *out = NULL;
    return a && !dj_export_renderer(options)->all_rows
               ? dj_short_names_begin(context, a, options->full_names, out)
               : DJ_OK;
}

int dj_export_costs(dj_context *context, const dj_export_options *options, dj_machine_costs *storage,
                    const dj_machine_costs **out)
{
    *out = NULL;
    if (options->sort != DJ_SORT_TIME)
        return DJ_OK;
    int err = dj_costs_find(context, storage);
    *out = err ? NULL : storage;
    return err;
}

// As the profile names files, if the folder exists here.
static const char *find_own(const dj_export_options *options, char found[PATH_MAX])
{
    return options->own && realpath(options->own, found) ? found : options->own;
}

static int make_document(dj_context *context, const dj_export_options *options, const dj_print_request *what,
                         const dj_caches *caches, dj_document **out)
{
    char own[PATH_MAX];
    dj_machine_costs storage;
    const dj_machine_costs *costs;
    int err = dj_export_costs(context, options, &storage, &costs);
    if (err)
        return err;
    const dj_renderer *renderer = dj_export_renderer(options);
    const dj_attribution_view view = {.by = what->by,
                                      .by_count = what->by_count,
                                      .top = options->top,
                                      .advice = options->advice,
                                      .all_rows = renderer->all_rows,
                                      .details = renderer->details,
                                      .costs = costs,
                                      .own = find_own(options, own),
                                      .profile = {.binning = what->binning,
                                                  .bin_width = what->bin_width,
                                                  .marks = caches->marks,
                                                  .mark_count = caches->count}};
    if (dj_profile_sharing(what->profile))
        return dj_document_sharing(context, what->profile, &view, out);
    // Without attribution there are no breakdowns; dj_document_attribution rejects a table of them.
    if (dj_profile_attribution(what->profile) || (renderer->all_rows && what->by_count > 0))
        return dj_document_attribution(context, what->profile, &view, out);
    return dj_document_profile(context, what->profile, &view.profile, out);
}

static int print_document(dj_context *context, const dj_export_options *options, const dj_print_request *what,
                          const dj_output *output)
{
    dj_caches caches = {.count = 0};
    dj_document *document = NULL;
    dj_short_names *names = NULL;
    int err = what->profile ? dj_caches_find(context, what->caches, what->profile, &caches) : DJ_OK;
    if (!err)
        err = dj_export_names(context, options, what->profile, &names);
    if (!err)
        err = what->profile ? make_document(context, options, what, &caches, &document)
                            : dj_document_create(context, &document);
    dj_short_names_end(names);
    if (err)
        return err;
    dj_document_add_processes(document, what->others, what->other_count);
    err = dj_export_render(context, options, document, what->profile ? &what->profile->provenance : NULL,
                           output);
    dj_document_destroy(document);
    return err;
}

int dj_export_print(dj_context *context, const dj_export_options *options, const dj_print_request *what,
                    dj_output *output)
{
    if (options->sort == DJ_SORT_TIME && what->profile && !dj_profile_attribution(what->profile))
        return dj_fail(context, DJ_ERR_USAGE,
                       "--sort time needs misses by code and data; the profile has none, since --by was none "
                       "or not given");
    if (output->as_columns)
        return dj_profile_save_columns(context, what->profile, output->file);
    if (output->json) {
        char own[PATH_MAX];
        dj_machine_costs storage;
        dj_json_view view = {.by = what->by,
                             .by_count = what->by_count,
                             .binning = what->binning,
                             .bin_width = what->bin_width,
                             .own = find_own(options, own)};
        int err = dj_export_costs(context, options, &storage, &view.costs);
        return err ? err : dj_report_json(context, what->profile, &view, output->file);
    }
    if (!dj_export_is_for_tool(options))
        return print_document(context, options, what, output);
    if (!what->profile)
        return DJ_OK;
    if (is_format(options, "folded"))
        dj_output_warn_estimate(&what->profile->provenance);
    return tool_formats[(size_t)options->format - dj_renderer_count()].write(context, options, what->profile,
                                                                             output->file);
}

int dj_export_output(dj_context *context, const dj_export_options *options, const dj_print_request *what,
                     const dj_output_options *to)
{
    dj_output *output = NULL;
    int err = dj_output_open(context, to, &output);
    if (!err)
        err = dj_export_print(context, options, what, output);
    return dj_output_end(context, err, &output);
}
