// SPDX-License-Identifier: MIT
// Sections `header` and `traffic`: how the numbers were obtained, and the number of accesses. Both are part
// of the profile itself.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/fields.h"
#include "profile/json.h"
#include "profile/provenance.h"

enum { INPUTS_MOST = 1 << 16 };

DJ_WRITER(write_schema)
{
    (void)row;
    dj_json_text(writer->json, field->name, DJ_PROFILE_SCHEMA);
}

static int read_schema(dj_json_reader *reader, void *row)
{
    (void)row;
    char *schema = NULL;
    int err = dj_json_read_text(reader, &schema);
    if (err == DJ_OK && strcmp(schema, DJ_PROFILE_SCHEMA) != 0)
        err = dj_json_fail(reader, "the schema is \"%.32s\", not \"" DJ_PROFILE_SCHEMA "\"", schema);
    free(schema);
    return err;
}

DJ_WRITER(write_version)
{
    (void)row;
    dj_json_uint(writer->json, field->name, DJ_PROFILE_VERSION);
}

static int read_version(dj_json_reader *reader, void *row)
{
    (void)row;
    uint64_t version = 0;
    int err = dj_json_read_uint(reader, &version);
    if (err == DJ_OK && version != DJ_PROFILE_VERSION)
        err = dj_json_fail(reader, "unknown version %" PRIu64 " of the schema; this deja reads version %d",
                           version, DJ_PROFILE_VERSION);
    return err;
}

static bool is_sampled(const void *row)
{
    double sampling = ((const dj_provenance *)row)->sampling;
    return sampling != 0 && sampling != 1;
}

static bool has_distance_error(const void *row)
{
    return ((const dj_provenance *)row)->distance_error != 0;
}

static const dj_field provenance_members[] = {
    DJ_AT(TEXT, "version", dj_provenance, version, .about = "of Deja"),
    DJ_AT(TEXT, "command", dj_provenance, command, .about = "as typed"),
    DJ_AT(TEXT, "format", dj_provenance, format, .about = "of the trace"),
    DJ_AT(LIST, "inputs", dj_provenance, inputs, .rows = &dj_text_cell,
          .count_at = offsetof(dj_provenance, input_count), .most = INPUTS_MOST,
          .about = "names of the files"),
    DJ_AT(TEXT, "unit", dj_provenance, unit, .about = "name of a block: block, key or element"),
    DJ_AT(U64, "unit_bytes", dj_provenance, unit_bytes,
          .about = "bytes of an address unit; 0 if blocks and keys have no size in bytes"),
    DJ_AT(BOOL, "exact", dj_provenance, exact, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(REAL, "error_bound", dj_provenance, error_bound,
          .about = "of miss ratios, absolute; 0 if exact or unknown"),
    DJ_AT(REAL, "distance_error", dj_provenance, distance_error, .when = has_distance_error,
          .about = "e: each distance d is recorded as a number from d (1 - e) to d; missing if exact or "
                   "unknown"),
    DJ_AT(BOOL, "split", dj_provenance, split, .about = "an access counts in every block that it touches"),
    DJ_AT(TEXT, "statements", dj_provenance, statements, .flags = DJ_FIELD_OMIT,
          .about = "how statement instances were distinguished"),
    DJ_AT(TEXT, "engine_options", dj_provenance, engine_options, .flags = DJ_FIELD_OMIT,
          .about = "of the engine, unless default"),
    DJ_AT(TEXT, "filter", dj_provenance, filter, .flags = DJ_FIELD_OMIT,
          .about = "which accesses the first lanes count; missing: all"),
    DJ_AT(REAL, "sampling", dj_provenance, sampling, .when = is_sampled,
          .about = "share of the keys that were analyzed; missing: all"),
    DJ_AT(TEXT, "thread_order", dj_provenance, thread_order, .flags = DJ_FIELD_OMIT,
          .about = "how accesses of several threads are ordered"),
    DJ_AT(TEXT, "missing", dj_provenance, missing, .flags = DJ_FIELD_OMIT,
          .about = "which processes of the program were not analyzed, and why"),
    DJ_AT(TEXT, "selection", dj_provenance, selection, .flags = DJ_FIELD_OMIT, .since = 2,
          .about = "which part of the run counts, and how: within, start-at, skip, stop-after, fresh-heap; "
                   "missing: all of it"),
    DJ_END,
};
static const dj_table provenance_object = {provenance_members, sizeof(dj_provenance), DJ_ROW_OBJECT};

static const dj_field provenance_fields[] = {
    DJ_AT(TEXT, "engine", dj_provenance, engine, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(BOOL, "partial", dj_provenance, partial, .flags = DJ_FIELD_REQUIRED,
          .about = "the run ended early; all numbers are those up to that point"),
    DJ_AT(TEXT, "partial_reason", dj_provenance, partial_reason),
    {.name = "provenance", .type = DJ_FIELD_OBJECT, .rows = &provenance_object, .flags = DJ_FIELD_REQUIRED},
    DJ_END,
};

void dj_json_provenance(dj_json_writer *json, const dj_provenance *from)
{
    dj_fields_writer writer = {.json = json, .section = from};
    (void)dj_fields_write(&writer, provenance_fields, from); // texts and numbers cannot fail
}

void dj_provenance_free(dj_provenance *provenance)
{
    dj_fields_free(provenance_fields, provenance);
    *provenance = (dj_provenance){0};
}

DJ_WRITER(write_accesses)
{
    dj_json_uint(writer->json, field->name, ((const dj_profile *)row)->lanes[0].accesses);
}

static int read_accesses(dj_json_reader *reader, void *row)
{
    return dj_json_read_uint(reader, &((dj_profile *)row)->lanes[0].accesses);
}

static bool reads_more(const void *row)
{
    const dj_profile *profile = row;
    return profile->accesses != profile->lanes[0].accesses;
}

DJ_WRITER(write_bins)
{
    static const char *const bins[] = {
        [DJ_BINS_LOG2] = "log2", [DJ_BINS_LINEAR] = "linear", [DJ_BINS_EXACT] = "exact"};
    (void)row;
    dj_json_text(writer->json, field->name, bins[writer->binning]);
}

// JSON has a part of the provenance at the top level.
#define PROVENANCE(type_, name_, ...) DJ_AT(type_, #name_, dj_profile, provenance.name_, __VA_ARGS__)
static const dj_field header_fields[] = {
    {.name = "schema",
     .type = DJ_FIELD_JSON,
     .flags = DJ_FIELD_REQUIRED,
     .write = write_schema,
     .read = read_schema,
     .schema = "{\"const\": \"" DJ_PROFILE_SCHEMA "\"}"},
    {.name = "version",
     .type = DJ_FIELD_JSON,
     .flags = DJ_FIELD_REQUIRED,
     .write = write_version,
     .read = read_version,
     .schema = "{\"const\": 1}"},
    PROVENANCE(TEXT, engine, .flags = DJ_FIELD_REQUIRED),
    PROVENANCE(BOOL, partial, .flags = DJ_FIELD_REQUIRED,
               .about = "the run ended early; all numbers are those up to that point"),
    PROVENANCE(TEXT, partial_reason, .about = "\"\" unless partial"),
    DJ_AT(OBJECT, "provenance", dj_profile, provenance, .rows = &provenance_object,
          .flags = DJ_FIELD_REQUIRED),
    {.name = "bins",
     .type = DJ_FIELD_JSON,
     .write = write_bins,
     .schema = "{\"enum\": [\"log2\", \"linear\", \"exact\"]}",
     .about = "how the histograms are binned"},
    {.name = "accesses",
     .type = DJ_FIELD_JSON,
     .flags = DJ_FIELD_REQUIRED,
     .write = write_accesses,
     .read = read_accesses,
     .schema = "{\"$ref\": \"#/$defs/count\"}",
     .about = "of the first lane, after splitting"},
    DJ_AT(U64, "read", dj_profile, accesses, .when = reads_more,
          .about = "accesses of the complete trace, if the first lane does not count all of them"),
    DJ_AT(U64, "lanes", dj_profile, lane_count, .flags = DJ_FIELD_NOT_JSON),
    DJ_AT(U64, "requests", dj_profile, requests, .about = "as recorded in the trace"),
    DJ_END,
};

static int check_errors(dj_context *context, const dj_provenance *from)
{
    if (!(from->error_bound >= 0 && from->error_bound <= 1))
        return dj_fail(context, DJ_ERR_INPUT, "the error of miss ratios is %g, not 0 to 1",
                       from->error_bound);
    if (from->exact && from->distance_error != 0)
        return dj_fail(context, DJ_ERR_INPUT, "the distances are exact, but have an error");
    if (!(from->distance_error >= 0 && from->distance_error < DJ_DISTANCE_ERROR_END))
        return dj_fail(context, DJ_ERR_INPUT, "the relative error of distances is %g, not 0 to below %g",
                       from->distance_error, DJ_DISTANCE_ERROR_END);
    return DJ_OK;
}

static int settle_header(dj_context *context, dj_profile *profile, dj_lane_profile *none, void *value)
{
    (void)none;
    (void)value;
    dj_provenance *from = &profile->provenance;
    int err = check_errors(context, from);
    if (err)
        return err;
    char **texts[] = {&from->version,        &from->command,      &from->engine,  &from->format,
                      &from->unit,           &from->statements,   &from->filter,  &from->partial_reason,
                      &from->engine_options, &from->thread_order, &from->missing, &from->selection};
    // Reports print these without checking for NULL.
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!*texts[i] && !(*texts[i] = strdup("")))
            return dj_fail_memory(context, "a profile", 0);
    return DJ_OK;
}

const dj_section_ops dj_section_header = {
    .name = "header",
    .summary = "provenance and lanes",
    .version = 2,
    .scope = DJ_SCOPE_PROFILE,
    .spread = true,
    .table = {header_fields, 0, DJ_ROW_OBJECT},
    .settle = settle_header,
};

static const dj_field traffic_fields[] = {
    DJ_AT(U64, "bytes", dj_profile, bytes, .about = "sum of the sizes of the requests; 0 if they have none"),
    DJ_AT(U64, "outside", dj_profile, outside, .flags = DJ_FIELD_OMIT,
          .about = "accesses reported by annotations that are outside recorded data; not counted elsewhere"),
    DJ_AT(U64, "reads", dj_profile, reads),
    DJ_AT(U64, "writes", dj_profile, writes,
          .about = "0, like reads, if the trace does not distinguish them"),
    DJ_END,
};

const dj_section_ops dj_section_traffic = {
    .name = "traffic",
    .summary = "reads, writes and bytes",
    .version = 1,
    .scope = DJ_SCOPE_PROFILE,
    .spread = true,
    .table = {traffic_fields, 0, DJ_ROW_OBJECT},
};
