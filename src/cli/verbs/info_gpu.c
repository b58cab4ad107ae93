// SPDX-License-Identifier: MIT
// The GPU that engines can use, or why there is none.
#include "cli/verbs/info.h"

#include <string.h>

int dj_info_find_gpu(dj_context *context, dj_gpu_info *out, bool *found)
{
    dj_context *own = NULL; // a missing GPU is not an error of this verb
    memset(out, 0, sizeof *out);
    if (dj_context_create(&own) != DJ_OK)
        return dj_fail_memory(context, "the search for a GPU", 0);
    *found = dj_gpu_find(own, out) == DJ_OK;
    dj_context_destroy(own);
    return DJ_OK;
}

void dj_info_add_gpu(dj_document *document, dj_node *facts, const dj_gpu_info *gpu, bool found)
{
    const char *built_for = dj_gpu_built_for(), *text;
    if (found) // driver 13000 is 13.0
        text = dj_document_format(document,
                                  "%s, %s, %u processors, compute capability %u.%u, driver for CUDA %u.%u",
                                  gpu->name, dj_info_bytes(document, gpu->bytes), gpu->processors, gpu->major,
                                  gpu->minor, gpu->driver / 1000, gpu->driver % 1000 / 10);
    else
        text = dj_document_format(document, "none: %s", gpu->why);
    dj_facts_add(document, facts, "GPU", dj_datum_text(text), "");
    if (built_for)
        dj_facts_add(document, facts, "",
                     dj_datum_text(dj_document_format(document, "built for %s", built_for)), "");
}

void dj_info_write_gpu(dj_json_writer *json, const dj_gpu_info *gpu, bool found)
{
    const char *built_for = dj_gpu_built_for();
    dj_json_begin_object(json, "gpu");
    dj_json_bool(json, "built", built_for != NULL);
    if (built_for)
        dj_json_text(json, "built_for", built_for);
    dj_json_bool(json, "found", found);
    if (found) {
        dj_json_text(json, "name", gpu->name);
        dj_json_uint(json, "bytes", gpu->bytes);
        dj_json_uint(json, "free_bytes", gpu->free_bytes);
        dj_json_uint(json, "processors", gpu->processors);
        dj_json_uint(json, "compute_capability", 10 * gpu->major + gpu->minor);
        dj_json_uint(json, "driver", gpu->driver);
        dj_json_uint(json, "runtime", gpu->runtime);
    } else
        dj_json_text(json, "why", gpu->why);
    dj_json_end_object(json);
}
