// SPDX-License-Identifier: MIT
// A summary file with corrected checksums: whatever numbers it contains, it is refused,
// or saved, loaded again, joined and reported.
#include <deja/deja.h>

#include <stdio.h>

#include "check.h"
#include "measure/names.h"
#include "pipeline/parts/summary.h"
#include "unit/summary_file.h"

static dj_summary *load(dj_context *context, uint8_t *bytes, size_t size)
{
    dj_summary *summary = NULL;
    FILE *file = fmemopen(bytes, size, "rb");
    CHECK(file);
    int err = dj_summary_load(context, file, "fuzz", &summary);
    CHECK(err == DJ_OK || err == DJ_ERR_INPUT || err == DJ_ERR_MEMORY);
    CHECK(err == DJ_OK || *dj_context_message(context));
    fclose(file);
    return summary;
}

// Saving and loading a loaded summary loses nothing that was read.
static dj_summary *save_and_load(dj_context *context, dj_summary *summary)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);
    CHECK(file);
    CHECK(dj_summary_save(context, summary, file) == DJ_OK);
    fclose(file);
    dj_summary_destroy(summary);
    summary = load(context, (uint8_t *)bytes, size);
    CHECK(summary);
    free(bytes);
    return summary;
}

static void report(dj_context *context, dj_summary *summary)
{
    dj_profile *profile = NULL;
    char *text = NULL;
    size_t size = 0;
    summary->part = (dj_part){0};
    if (dj_summary_finish(context, summary, "", &profile) != DJ_OK)
        return;
    if (dj_profile_attribution(profile) && dj_names_assign(context, summary->names, summary->name_bytes, NULL,
                                                           dj_profile_attribution(profile)) != DJ_OK) {
        dj_profile_destroy(profile);
        return;
    }
    FILE *out = open_memstream(&text, &size);
    CHECK(out);
    const dj_json_view view = {.binning = DJ_BINS_LOG2};
    (void)dj_report_json(context, profile, &view, out);
    const dj_profile_view shown = {.binning = DJ_BINS_LOG2};
    dj_document *document = NULL;
    if (dj_document_profile(context, profile, &shown, &document) == DJ_OK)
        (void)dj_render(context, dj_renderer_get(0), document, NULL, out);
    dj_document_destroy(document);
    fclose(out);
    free(text);
    dj_profile_destroy(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static dj_context *context;
    if (!context)
        CHECK(dj_context_create(&context) == DJ_OK);
    size_t size = 0;
    uint8_t *file = summary_file(data, (uint32_t)bytes, &size);
    CHECK(file);
    dj_summary *a = load(context, file, size), *b = a ? load(context, file, size) : NULL;
    free(file);
    if (a && b) {
        a = save_and_load(context, a);
        a->part = b->part = (dj_part){0};
        if (dj_summary_join(context, a, b) == DJ_OK)
            report(context, a);
    }
    dj_summary_destroy(a);
    dj_summary_destroy(b);
    return 0;
}
