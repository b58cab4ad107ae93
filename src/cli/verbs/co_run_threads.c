// SPDX-License-Identifier: MIT
// `deja co-run --threads`: whether another thread of a program pays.
#include "cli/verbs/co_run.h"

static void write_json(FILE *out, const void *values)
{
    const dj_team_view *v = values;
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    dj_co_run_write_assumptions(&json, &(dj_corun){.order = v->team->order, .again = true}, v->blocks);
    dj_json_text(&json, "scaling", v->team->scaling == DJ_CORUN_STRONG ? "strong" : "weak");
    dj_json_real(&json, "shared", v->team->shared);
    dj_json_begin_list(&json, "threads");
    for (size_t i = 0; i < v->count; i++) {
        dj_json_begin_row(&json, NULL);
        dj_json_uint(&json, "threads", i + 1);
        dj_json_real(&json, "miss_ratio", v->members[i].ratio);
        dj_json_real(&json, "miss_ratio_least", v->members[i].least);
        if (v->core) {
            dj_json_real(&json, "throughput",
                         dj_corun_throughput(v->core, i + 1, v->cores, v->members[i].ratio));
            dj_json_real(&json, "throughput_most",
                         dj_corun_throughput(v->core, i + 1, v->cores, v->members[i].least));
        }
        dj_json_end_object(&json);
    }
    dj_json_end_list(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}

int dj_co_run_threads(dj_context *context, const dj_co_run_options *o, const dj_co_run *run)
{
    dj_corun_member members[DJ_CORUN_MOST];
    const dj_corun_team team = {.profile = run->sharers[0].profile,
                                .scaling = (enum dj_corun_scaling)o->scaling,
                                .shared = o->shared,
                                .order = run->corun.order};
    const dj_team_view view = {.name = run->names->items[0],
                               .team = &team,
                               .cache = run->view.cache,
                               .blocks = run->view.blocks,
                               .unit = run->view.unit,
                               .members = members,
                               .count = (size_t)o->threads,
                               .core = run->view.cores,
                               .cores = (size_t)(o->cores ? o->cores : o->threads),
                               .command = run->names->command_line};
    dj_document *document = NULL;
    int err = dj_corun_threads(context, &team, run->model, (size_t)o->threads, run->view.blocks, members);
    if (!err)
        err = dj_document_team(context, &view, &document);
    if (!err)
        err = dj_co_run_print(context, o, document, write_json, &view);
    dj_document_destroy(document);
    return err;
}
