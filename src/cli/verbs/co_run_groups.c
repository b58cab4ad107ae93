// SPDX-License-Identifier: MIT
// What `deja co-run` prints about groups of programs.
#include "cli/verbs/co_run.h"

int dj_co_run_print(dj_context *context, const dj_co_run_options *o, dj_document *document,
                    dj_co_run_json *json, const void *values)
{
    dj_output *output = NULL;
    int err = dj_output_open(context, &o->output, &output);
    if (!err && o->output.json)
        json(output->file, values);
    else if (!err)
        err = dj_export_render(context, &o->export, document, NULL, output);
    return dj_output_end(context, err, &output);
}

void dj_co_run_write_assumptions(dj_json_writer *json, const dj_corun *corun, uint64_t blocks)
{
    dj_json_text(json, "method", "predicted");
    dj_json_text(json, "order", corun->order == DJ_CORUN_RANDOM ? "random" : "speeds");
    dj_json_bool(json, "again", corun->again);
    dj_json_text(json, "cache", "fully associative LRU");
    dj_json_uint(json, "cache_blocks", blocks);
}

static void write_group(dj_json_writer *json, const dj_corun_view *v, const dj_corun_group *group)
{
    for (size_t k = 0; k < group->count; k++) {
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "sharer", v->names[group->sharer[k]]);
        dj_json_begin_flat_list(json, "with");
        for (size_t i = 0; i < group->count; i++)
            if (i != k)
                dj_json_text(json, NULL, v->names[group->sharer[i]]);
        dj_json_end_list(json);
        dj_json_real(json, "miss_ratio", group->ratio[k]);
        if (v->cores) {
            dj_json_real(json, "cycles", group->cycles[k]);
            dj_json_real(json, "slowdown", dj_corun_slowdown(v, group, k));
            dj_json_uint(json, "solution", group->second ? 2 : 1);
        }
        dj_json_end_object(json);
    }
}

static void write_json(FILE *out, const void *values)
{
    const dj_co_run *run = values;
    dj_json_writer json = {.out = out};
    const dj_corun_view *v = &run->view;
    dj_json_begin_object(&json, NULL);
    dj_co_run_write_assumptions(&json, &run->corun, v->blocks);
    if (v->cores)
        dj_json_text(&json, "bandwidth", "unlimited");
    dj_json_begin_list(&json, "groups");
    for (size_t g = 0; g < v->group_count; g++)
        write_group(&json, v, &v->groups[g]);
    dj_json_end_list(&json);
    dj_json_begin_list(&json, "pairs");
    for (size_t i = 0; v->partner && i < run->corun.count; i++)
        if (v->partner[i] >= i) {
            dj_json_begin_flat_list(&json, NULL);
            dj_json_text(&json, NULL, v->names[i]);
            if (v->partner[i] > i)
                dj_json_text(&json, NULL, v->names[v->partner[i]]);
            dj_json_end_list(&json);
        }
    dj_json_end_list(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}

int dj_co_run_print_groups(dj_context *context, const dj_co_run_options *o, const dj_co_run *run)
{
    dj_document *document = NULL;
    int err = dj_document_corun(context, &run->view, &document);
    if (!err)
        err = dj_co_run_print(context, o, document, write_json, run);
    dj_document_destroy(document);
    return err;
}
