// SPDX-License-Identifier: MIT
// The profile loader on JSON, or on columns whose checksums are corrected first; every profile it accepts
// can be saved, loaded again and reported in every format.
#include "fuzz/check.h"
#include "fuzz/mutate_json.h"
#include "fuzz/mutate_pack.h"
#include "unit/columns_file.h"

#include <deja/report.h>

#include <deja/render.h>

#include "report/listing.h"

static int load(dj_context *context, void *data, size_t bytes, size_t process, dj_profile **out)
{
    FILE *in = fmemopen(data, bytes, "r");
    CHECK(in);
    int err = dj_profile_load_process(context, in, "fuzz", process, out);
    fclose(in);
    return err;
}

static char *save(dj_context *context, const dj_profile *profile, size_t *bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);
    CHECK(out);
    CHECK(dj_profile_save(context, profile, DJ_BINS_LOG2, 0, out) == DJ_OK);
    fclose(out);
    return text;
}

// From the attribution on, or the spatial section after it, which unlike the
// histograms are saved without loss. Inside a string the quotes would be escaped.
static const char *lossless_part(const char *text)
{
    const char *at = strstr(text, "\"attribution\": {");
    at = at ? at : strstr(text, "\"spatial\": {");
    return at ? at : "";
}

// With every renderer; no control character may reach a terminal.
static void render(dj_context *context, dj_document *document, FILE *out)
{
    for (size_t i = 0; i < dj_renderer_count(); i++)
        CHECK(dj_render(context, dj_renderer_get(i), document, NULL, out) == DJ_OK);
    dj_document_destroy(document);
}

static void annotate(dj_context *context, const dj_profile *profile, FILE *out)
{
    static char *lines[] = {"int x;", "\ty\033[2J"};
    const dj_annotated_text text = {.path = "x.c", .lines = lines, .line_count = 2};
    dj_annotated *annotated = NULL;
    dj_document *document = NULL;
    CHECK(dj_annotated_create(context, dj_profile_attribution(profile), &annotated) == DJ_OK);
    for (size_t i = 0; i < annotated->file_count; i++) {
        const dj_annotated_file *file = &annotated->files[i];
        CHECK(dj_document_annotated(context, profile, annotated, &file, &text, 1, i % 2, true, &document) ==
              DJ_OK);
        render(context, document, out);
    }
    dj_annotated_destroy(annotated);
}

static void report(dj_context *context, const dj_profile *profile)
{
    static const enum dj_by by[] = {DJ_BY_OBJECT, DJ_BY_FUNCTION,        DJ_BY_LOOP,
                                    DJ_BY_LINE,   DJ_BY_CALLING_CONTEXT, DJ_BY_THREAD};
    const dj_attribution_view view = {.by = by, .by_count = DJ_BY_COUNT, .all_rows = true};
    dj_document *document = NULL;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    CHECK(out);
    CHECK(dj_report_json(context, profile, &(dj_json_view){.binning = DJ_BINS_LOG2}, out) == DJ_OK);
    CHECK(dj_report_callgrind(context, profile, out) == DJ_OK);
    CHECK(dj_report_folded(context, profile, "distance", out) == DJ_OK);
    CHECK(dj_document_attribution(context, profile, &view, &document) == DJ_OK);
    render(context, document, out);
    annotate(context, profile, out);
    fclose(out);
    free(text);
}

// The reports that every profile supports.
static void report_curves(dj_context *context, const dj_profile *profile)
{
    const dj_report_mark marks[] = {{"L1", 512}};
    const dj_profile_view view = {.binning = DJ_BINS_LOG2, .marks = marks, .mark_count = 1};
    const dj_profile *twice[] = {profile, profile};
    dj_document *document = NULL;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    CHECK(out);
    CHECK(dj_document_profile(context, profile, &view, &document) == DJ_OK);
    render(context, document, out);
    CHECK(dj_document_curves(context, twice, 2, &view, &document) == DJ_OK);
    render(context, document, out);
    fclose(out);
    free(text);
}

static void report_spatial(dj_context *context, const dj_profile *profile)
{
    static const enum dj_by by[] = {DJ_BY_LINE, DJ_BY_CALLING_CONTEXT};
    const bool code = dj_profile_attribution(profile);
    const dj_spatial_view view = {
        .limits = DJ_SPATIAL_LIMITS, .by = by, .by_count = code ? 2 : 0, .context = code, .all_rows = true};
    dj_document *document = NULL;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    CHECK(out);
    CHECK(dj_report_json(context, profile, &(dj_json_view){.spatial = &view}, out) == DJ_OK);
    CHECK(dj_document_spatial(context, profile, &view, &document) == DJ_OK);
    render(context, document, out);
    fclose(out);
    free(text);
}

static bool is_columns(const uint8_t *data, size_t bytes)
{
    return bytes >= DJ_COLUMNS_FILE_BYTES && memcmp(data, DJ_COLUMNS_MAGIC, DJ_COLUMNS_MAGIC_BYTES) == 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed)
{
    dj_random random;
    dj_random_seed(&random, seed);
    if (bytes == 0 || dj_random_below(&random, 8) == 0)
        return LLVMFuzzerMutate(data, bytes, most);
    return is_columns(data, bytes) ? fuzz_mutate_columns(data, bytes, most, &random)
                                   : fuzz_mutate_json(data, bytes, most, &random);
}

static void check_profile(dj_context *context, const dj_profile *profile)
{
    dj_profile *again = NULL;
    size_t length = 0;
    char *text = save(context, profile, &length);
    CHECK(load(context, text, length, 0, &again) == DJ_OK);
    CHECK(again->accesses == profile->accesses && again->lane_count == profile->lane_count);
    char *text_again = save(context, again, &length);
    CHECK(strcmp(lossless_part(text), lossless_part(text_again)) == 0);
    free(text);
    free(text_again);
    dj_profile_destroy(again);
    report_curves(context, profile);
    if (dj_profile_attribution(profile))
        report(context, profile);
    if (dj_profile_spatial(profile))
        report_spatial(context, profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    dj_context *context = NULL;
    if (bytes == 0)
        return 0;
    uint8_t *file = malloc(bytes);
    CHECK(file && dj_context_create(&context) == DJ_OK);
    memcpy(file, data, bytes);
    if (is_columns(file, bytes))
        columns_fix_checksums(file, bytes);
    for (size_t process = 0; process < 2; process++) {
        dj_profile *profile = NULL;
        int err = load(context, file, bytes, process, &profile);
        CHECK(err == DJ_OK || (err == DJ_ERR_INPUT && strncmp(dj_context_message(context), "fuzz:", 5) == 0));
        if (!err)
            check_profile(context, profile);
        dj_profile_destroy(profile);
    }
    dj_context_destroy(context);
    free(file);
    return 0;
}
