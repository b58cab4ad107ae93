// SPDX-License-Identifier: MIT
// A summary file whose checksums are corrected first, or, without the magic bytes, the plain content of one:
// whatever numbers it contains, it is refused, or saved, loaded again, joined and reported.
#include <deja/deja.h>

#include <stdio.h>

#include "fuzz/check.h"
#include "fuzz/mutate_pack.h"
#include "measure/names.h"
#include "pipeline/parts/summary.h"
#include "pipeline/parts/summary_file.h"
#include "unit/summary_file.h"

static dj_summary *load(dj_context *context, uint8_t *bytes, size_t size)
{
    dj_summary *summary = NULL;
    FILE *file = fmemopen(bytes, size, "rb");
    CHECK(file);
    int err = dj_summary_load(context, file, "fuzz", &summary);
    CHECK(err == DJ_OK || err == DJ_ERR_INPUT || err == DJ_ERR_MEMORY);
    CHECK(err == DJ_OK || strncmp(dj_context_message(context), "fuzz: ", 6) == 0);
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
    if (dj_profile_attribution(profile) &&
        dj_names_assign(context, summary->names, summary->name_bytes, NULL, dj_profile_attribution(profile),
                        dj_profile_elements(profile)) != DJ_OK) {
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

static bool is_file(const uint8_t *data, size_t bytes)
{
    return bytes >= DJ_SUMMARY_HEAD_BYTES && memcmp(data, DJ_SUMMARY_MAGIC, DJ_SUMMARY_MAGIC_BYTES) == 0;
}

static uint8_t *make_file(const uint8_t *data, size_t bytes, size_t *size)
{
    if (!is_file(data, bytes))
        return summary_file(data, (uint32_t)bytes, size);
    uint8_t *file = malloc(bytes);
    CHECK(file);
    memcpy(file, data, bytes);
    fuzz_fix_blocks(file + DJ_SUMMARY_HEAD_BYTES, bytes - DJ_SUMMARY_HEAD_BYTES);
    *size = bytes;
    return file;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed)
{
    dj_random random;
    fuzz_bytes plain = {0};
    dj_random_seed(&random, seed);
    if (is_file(data, bytes))
        return fuzz_mutate_summary(data, bytes, most, &random);
    fuzz_put(&plain, data, bytes);
    fuzz_mutate_numbers(&plain, &random);
    return fuzz_take(&plain, data, bytes, most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static dj_context *context;
    if (!context)
        CHECK(dj_context_create(&context) == DJ_OK);
    size_t size = 0;
    uint8_t *file = make_file(data, bytes, &size);
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
