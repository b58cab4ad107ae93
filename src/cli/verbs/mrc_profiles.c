// SPDX-License-Identifier: MIT
// The curves of several saved profiles.
#include <stdlib.h>

#include "cli/saved_profile.h"
#include "cli/verbs/mrc.h"
#include "engine/choice.h"

int dj_mrc_is_of_profiles(dj_context *context, const dj_mrc_options *o, const dj_arguments *arguments,
                          bool *out)
{
    int err = DJ_OK;
    *out = arguments->count > 1 && !o->trace.source.format;
    for (size_t i = 0; !err && *out && i < arguments->count; i++)
        err = dj_saved_profile_is(context, arguments->items[i], out);
    return err;
}

static int check(dj_context *context, const dj_mrc_options *o)
{
    const char *option = o->output.json                        ? "--json"
                         : o->threshold                        ? "--threshold"
                         : o->fail_if.typed.count > 0          ? "--fail-if"
                         : o->sizes                            ? "--sizes"
                         : o->ways                             ? "--ways"
                         : o->windows.text                     ? "--windows"
                         : o->simulate                         ? "--simulate"
                         : o->trace.block                      ? "--block"
                         : o->trace.split || o->trace.no_split ? "--split"
                         : o->trace.engine                     ? "--engine"
                                                               : NULL;
    if (option)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s applies to a single trace or profile; leave it out, or name only one file",
                       option);
    option = dj_engine_option_given(o->trace.engine_values);
    return option ? dj_fail(context, DJ_ERR_USAGE,
                            "--%s does not apply to saved profiles; analyze the traces again", option)
                  : DJ_OK;
}

static int print(dj_context *context, const dj_mrc_options *o, dj_profile *const *profiles, size_t count)
{
    dj_caches caches;
    dj_output *output = NULL;
    dj_document *document = NULL;
    int err = dj_caches_find(context, &o->caches, profiles[0], &caches);
    const dj_profile_view view = {.marks = caches.marks, .mark_count = caches.count};
    if (!err)
        err = dj_document_curves(context, (const dj_profile *const *)profiles, count, &view, &document);
    if (!err)
        err = dj_output_open(context, &o->output, &output);
    if (!err)
        err = dj_export_render(context, &o->export, document, &profiles[0]->provenance, output);
    if (!err)
        err = dj_output_close(context, &output);
    dj_output_discard(&output);
    dj_document_destroy(document);
    return err;
}

int dj_mrc_print_profiles(dj_context *context, const dj_mrc_options *o, const dj_arguments *arguments)
{
    dj_profile **profiles = calloc(arguments->count, sizeof *profiles);
    int err = profiles ? check(context, o) : dj_fail_memory(context, "profiles", 0);
    for (size_t i = 0; !err && i < arguments->count; i++)
        err = dj_saved_profile_load(context, NULL, arguments->items[i], &profiles[i]);
    if (!err)
        err = print(context, o, profiles, arguments->count);
    for (size_t i = 0; profiles && i < arguments->count; i++)
        dj_profile_destroy(profiles[i]);
    free(profiles);
    return err;
}
