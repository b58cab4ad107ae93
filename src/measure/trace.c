// SPDX-License-Identifier: MIT
// Measures traces according to a request.
#include <deja/measure.h>

#include "measure/names.h"
#include "measure/request.h"

static int measure(dj_context *context, dj_source *source, const dj_request *request, bool ahead,
                   dj_profile **out)
{
    dj_prepared *prepared = NULL;
    *out = NULL;
    int err = dj_request_prepare(context, request, source, (dj_preparation){.ahead = ahead}, &prepared);
    if (!err)
        err = dj_measurement_run(context, dj_prepared_measurement(prepared), out);
    dj_prepared_destroy(prepared);
    return err;
}

int dj_measure_source(dj_context *context, dj_source *source, const dj_request *request, dj_profile **out)
{
    return measure(context, source, request, false, out);
}

int dj_request_measure_ahead(dj_context *context, dj_source *source, const dj_request *request,
                             dj_profile **out)
{
    return measure(context, source, request, true, out);
}

int dj_measure_files(dj_context *context, const char *const *paths, size_t count,
                     const dj_source_options *options, const dj_request *request, dj_profile **out)
{
    dj_source *source = NULL;
    dj_request named = *request;
    *out = NULL;
    if (!named.inputs) {
        named.inputs = paths;
        named.input_count = count;
    }
    dj_source_options asked = options ? *options : (dj_source_options){0};
    dj_request_ask(request, &asked);
    int err = dj_source_open(context, paths, count, &asked, &source);
    if (!err)
        err = dj_measure_source(context, source, &named, out);
    dj_source_close(source);
    return err;
}

static void release(void *prepared)
{
    dj_prepared_destroy(prepared);
}

int dj_measure_part(dj_context *context, dj_source *source, const dj_request *request, dj_part part,
                    dj_summary **out)
{
    dj_prepared *prepared = NULL;
    *out = NULL;
    int err = dj_request_prepare(context, request, source, (dj_preparation){0}, &prepared);
    if (err)
        return err;
    const dj_measurement *m = dj_prepared_measurement(prepared);
    err = dj_measurement_run_part(context, m, part, out);
    if (err || !m->attribute) {
        dj_prepared_destroy(prepared);
        return err;
    }
    dj_attribute_detach(m->attribute);
    (*out)->observer_data = prepared;
    (*out)->release = release;
    return DJ_OK;
}

int dj_summary_profile(dj_context *context, dj_summary *summary, const char *command, const char *symbols,
                       dj_profile **out)
{
    dj_profile *profile = NULL;
    *out = NULL;
    int err = dj_summary_finish(context, summary, command, &profile);
    dj_attribution *attribution = err ? NULL : dj_profile_attribution(profile);
    if (attribution)
        err = dj_names_assign(context, summary->names, summary->name_bytes, symbols, attribution,
                              dj_profile_elements(profile));
    if (err)
        dj_profile_destroy(profile);
    else
        *out = profile;
    return err;
}
