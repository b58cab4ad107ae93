// SPDX-License-Identifier: MIT
// Gets the profile of `deja spatial` from a file, a trace or a program, and prints it.
#include <deja/deja.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure.h"
#include "cli/module_notes.h"
#include "cli/source_lines.h"
#include "cli/verbs/spatial.h"

static int print(dj_context *context, const dj_spatial_verb *o, const dj_print_request *found,
                 dj_source_lines lines, dj_output *output)
{
    const dj_report_source source = {.line = dj_source_lines_get, .state = &lines};
    dj_spatial_view view = o->view;
    dj_document *document = NULL;
    view.source = &source;
    view.all_rows = dj_export_renderer(&o->export)->all_rows;
    dj_short_names *names = NULL;
    int err = dj_export_names(context, &o->export, found->profile, &names);
    if (!err)
        err = found->profile ? dj_document_spatial(context, found->profile, &view, &document)
                             : dj_document_create(context, &document);
    dj_short_names_end(names);
    if (!err && !lines.err)
        dj_source_lines_note(&lines);
    dj_source_lines_close(&lines);
    if (!err && lines.err) {
        dj_document_destroy(document);
        err = lines.err;
    }
    if (err)
        return err;
    dj_document_add_processes(document, found->others, found->other_count);
    err = dj_export_render(context, &o->export, document, found->profile ? &found->profile->provenance : NULL,
                           output);
    dj_document_destroy(document);
    return err;
}

static dj_json_view view_json(const dj_spatial_verb *o)
{
    return (dj_json_view){.by = o->by,
                          .by_count = o->view.by_count,
                          .binning = dj_output_is_columns(&o->output) ? DJ_BINS_EXACT : DJ_BINS_LOG2,
                          .spatial = &o->view};
}

static int print_profile(dj_context *context, const dj_spatial_verb *o, const dj_profile *profile,
                         const char *path)
{
    struct stat about;
    const dj_source_lines lines = {.context = context,
                                   .scope = {.folders = o->source},
                                   .created = stat(path, &about) == 0 ? about.st_mtime : 0};
    const dj_json_view json = view_json(o);
    dj_output *output = NULL;
    int err = dj_output_open(context, &o->output, &output);
    if (!err && output->as_columns)
        err = dj_profile_save_columns(context, profile, output->file);
    else if (!err && output->json)
        err = dj_report_json(context, profile, &json, output->file);
    else if (!err)
        err = print(context, o, &(dj_print_request){.profile = profile}, lines, output);
    return dj_output_end(context, err, &output);
}

int dj_spatial_report_saved(dj_context *context, const dj_spatial_verb *o, const char *path)
{
    dj_ranking_options meant;
    dj_profile *profile = NULL;
    int err = dj_saved_profile_load(context, &o->saved, path, &profile);
    if (!err)
        err = dj_spatial_view_find(context, profile, &o->view, &meant);
    if (!err)
        err = print_profile(context, o, profile, path);
    dj_profile_destroy(profile);
    return err;
}

static int open_trace(dj_context *context, const dj_spatial_verb *o, const dj_arguments *arguments,
                      dj_source **out)
{
    if (arguments->count == 0)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "no trace given; name a file, use '-' for standard input, or name a program after '--'");
    int err = dj_trace_open_source(context, &o->trace, arguments->items, arguments->count, out);
    return dj_trace_suggest_program(context, &o->trace, arguments->items[0], "spatial", err);
}

// Only recordings contain enough to name code and data.
static bool wants_places(const dj_spatial_verb *o, const dj_source_info *info)
{
    bool recorded = strcmp(info->format, "deja") == 0 && (info->columns & DJ_COLUMN_SITE);
    bool requested = dj_attribute_is_requested(&o->attribute) || o->context || o->residency;
    return !o->parts.summary && !dj_attribute_is_disabled(&o->attribute) && (recorded || requested);
}

// Bursts of the trace, if --sample is given.
static int request_bursts(dj_context *context, const dj_spatial_verb *o, dj_spatial_plan *plan)
{
    plan->bursts.seed = o->bursts.seed;
    int err = dj_bursts_rate(context, &o->bursts, dj_spatial_find_unfit(o), &plan->bursts.rate);
    if (!err && plan->bursts.rate < 1)
        plan->request.bursts = &plan->bursts;
    return err;
}

// Creates the summary of a part, or the profile.
static int measure_trace(dj_context *context, const dj_spatial_verb *o, const dj_arguments *arguments,
                         dj_summary **summary, dj_profile **out)
{
    dj_spatial_plan plan;
    dj_source *source = NULL;
    int err = open_trace(context, o, arguments, &source);
    if (err)
        return err;
    const dj_source_info *info = dj_source_get_info(source);
    err = dj_spatial_plan_make(context, o, info, arguments, &plan);
    if (!err)
        err = dj_attribute_request(context, &o->attribute, &o->caches, info->unit_bytes ? plan.blocks[0] : 0,
                                   wants_places(o, info), &plan.caches, &plan.request);
    if (!err)
        err = request_bursts(context, o, &plan);
    if (!err)
        err = o->parts.summary
                  ? dj_measure_part_with_progress(context, source, &plan.request, o->part, summary)
                  : dj_measure_with_progress(context, source, &plan.request, out);
    dj_source_close(source);
    return err;
}

int dj_spatial_report_trace(dj_context *context, const dj_spatial_verb *o, const dj_arguments *arguments)
{
    dj_profile *profile = NULL;
    dj_summary *summary = NULL;
    int err = measure_trace(context, o, arguments, &summary, &profile);
    if (summary)
        err = dj_parts_write(context, summary, &o->output);
    dj_summary_destroy(summary);
    if (profile) {
        int printed = print_profile(context, o, profile, arguments->items[0]);
        err = printed ? printed : err;
        dj_note_lost_modules(context, profile);
    }
    dj_profile_destroy(profile);
    return err;
}

static int print_process(dj_context *context, const void *user, const dj_print_request *found,
                         dj_output *output)
{
    const dj_spatial_verb *o = user;
    const dj_source_lines lines = {.context = context, .scope = {.anywhere = true, .folders = o->source}};
    return print(context, user, found, lines, output);
}

// An annotated program counts elements, which have no size in bytes.
static int plan_elements(dj_context *context, const dj_spatial_verb *o, dj_spatial_plan *plan)
{
    static const dj_source_info elements = {.format = "annotations", .kind = DJ_CLASS_KEYS};
    plan->spatial.element_blocks = plan->element_blocks;
    return dj_spatial_blocks(context, o->blocks, &elements, plan->element_blocks,
                             &plan->spatial.element_block_count);
}

int dj_spatial_report_program(dj_context *context, dj_spatial_verb *o, const dj_arguments *arguments)
{
    dj_spatial_plan plan;
    const dj_json_view json = view_json(o);
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no program given; name one, as in 'deja spatial -- ./program arguments'");
    o->output.to_errors = true;
    int err = dj_spatial_plan_make(context, o, dj_session_source_info(), arguments, &plan);
    if (!err)
        err = dj_attribute_request(context, &o->attribute, &o->caches, plan.blocks[0],
                                   !dj_attribute_is_disabled(&o->attribute), &plan.caches, &plan.request);
    if (err)
        return err;
    int refused = plan_elements(context, o, &plan);
    if (refused && refused != DJ_ERR_USAGE)
        return refused;
    dj_program program = {.session = dj_program_session(&o->program, arguments),
                          .request = &plan.request,
                          .output = &o->output,
                          .print = print_process,
                          .user = o};
    program.session.view = &json;
    program.session.not_for_annotations = refused        ? "a size in bytes"
                                          : o->cache     ? "--cache"
                                          : o->residency ? "--residency"
                                                         : dj_filters_given(&o->filters);
    if (!program.session.not_for_annotations)
        program.session.not_for_annotations =
            dj_program_find_unsupported(&o->program, &o->attribute, &o->trace, &o->caches);
    dj_observer_list observers = {0};
    err = dj_bursts_apply(context, &o->bursts, dj_spatial_find_unfit(o), &program.session, &observers);
    plan.request.observers = observers.items;
    plan.request.observer_count = observers.count;
    if (!err)
        err = dj_program_run(context, &program);
    dj_observer_list_free(&observers);
    return err;
}
