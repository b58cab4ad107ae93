// SPDX-License-Identifier: MIT
// Reads a profile from JSON; the format is described in docs/formats.md.
#include "profile/json_load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/json.h"

enum { LANES_MOST = 64, INPUTS_MOST = 1 << 16 };
#define ACCESSES_OF_FIRST UINT64_MAX // the lane does not say how many it counts

// The profile and its first lane, both at hand as one target.
typedef struct draft {
    dj_profile profile;
    dj_lane_profile lane;
    uint64_t version;
} draft;

static int load_schema(dj_json_reader *reader, void *value)
{
    (void)value;
    char *schema = NULL;
    int err = dj_json_read_text(reader, &schema);
    if (err == DJ_OK && strcmp(schema, DJ_PROFILE_SCHEMA) != 0)
        err = dj_json_fail(reader, "the schema is \"%.32s\", not \"" DJ_PROFILE_SCHEMA "\"", schema);
    free(schema);
    return err;
}

static int load_version(dj_json_reader *reader, void *value)
{
    uint64_t *version = value;
    int err = dj_json_read_uint(reader, version);
    if (err == DJ_OK && *version != DJ_PROFILE_VERSION)
        err =
            dj_json_fail(reader, "version %" PRIu64 " of the schema is unknown here, which reads version %d",
                         *version, DJ_PROFILE_VERSION);
    return err;
}

static int load_input(dj_json_reader *reader, void *target)
{
    dj_provenance *from = target;
    if (from->input_count == INPUTS_MOST)
        return dj_json_fail(reader, "more than %d inputs", INPUTS_MOST);
    char **grown = realloc(from->inputs, (from->input_count + 1) * sizeof *grown);
    if (!grown)
        return dj_fail_memory(dj_json_context(reader), "the names of inputs", 0);
    from->inputs = grown;
    grown[from->input_count] = NULL;
    int err = dj_json_read_text(reader, &grown[from->input_count]);
    from->input_count += err == DJ_OK;
    return err;
}

static int load_inputs(dj_json_reader *reader, void *value)
{
    return dj_json_read_list(reader, load_input, value);
}

static int load_provenance(dj_json_reader *reader, void *value)
{
    static const dj_json_field fields[] = {
        {.name = "version", .type = DJ_JSON_TEXT, .offset = offsetof(dj_provenance, version)},
        {.name = "command", .type = DJ_JSON_TEXT, .offset = offsetof(dj_provenance, command)},
        {.name = "format", .type = DJ_JSON_TEXT, .offset = offsetof(dj_provenance, format)},
        {.name = "inputs", .type = DJ_JSON_CALL, .call = load_inputs},
        {.name = "unit", .type = DJ_JSON_TEXT, .offset = offsetof(dj_provenance, unit)},
        {.name = "unit_bytes", .type = DJ_JSON_UINT, .offset = offsetof(dj_provenance, unit_bytes)},
        {.name = "exact", .type = DJ_JSON_BOOL, .required = true, .offset = offsetof(dj_provenance, exact)},
        {.name = "error_bound", .type = DJ_JSON_REAL, .offset = offsetof(dj_provenance, error_bound)},
        {.name = "split", .type = DJ_JSON_BOOL, .offset = offsetof(dj_provenance, split)},
        {.name = "statements", .type = DJ_JSON_TEXT, .offset = offsetof(dj_provenance, statements)},
        {.name = NULL},
    };
    return dj_json_read_object(reader, fields, value, NULL);
}

// The same keys describe the first lane, at the top, and the further ones.
enum { FIELD_FINGERPRINT, FIELD_DIGEST };
#define LANE_VALUE(base, type_, name_, need)                                                                 \
    {                                                                                                        \
        .name = #name_, .type = (type_), .required = (need),                                                 \
        .offset = (base) + offsetof(dj_lane_profile, name_)                                                  \
    }
#define LANE_IDENTITY(base, type_, name_, need)                                                              \
    {                                                                                                        \
        .name = #name_, .type = (type_), .required = (need),                                                 \
        .offset = (base) + offsetof(dj_lane_profile, id.name_)                                               \
    }
#define LANE_CALL(base, name_, need, call_)                                                                  \
    {                                                                                                        \
        .name = (name_), .type = DJ_JSON_CALL, .required = (need), .offset = (base), .call = (call_)         \
    }
#define LANE_FIELDS(base)                                                                                    \
    [FIELD_FINGERPRINT] = LANE_VALUE(base, DJ_JSON_HEX, fingerprint, false),                                 \
    [FIELD_DIGEST] = LANE_VALUE(base, DJ_JSON_HEX, digest, false),                                           \
    LANE_IDENTITY(base, DJ_JSON_UINT, block_bytes, true), LANE_IDENTITY(base, DJ_JSON_TEXT, filter, false),  \
    LANE_IDENTITY(base, DJ_JSON_TEXT, partition, false), LANE_IDENTITY(base, DJ_JSON_REAL, sampling, false), \
    LANE_VALUE(base, DJ_JSON_UINT, distinct, true), LANE_VALUE(base, DJ_JSON_UINT, cold, true),              \
    LANE_VALUE(base, DJ_JSON_UINT, cold_bytes, false), LANE_CALL(base, "distance", true, dj_load_moments),   \
    LANE_CALL(base, "histogram", true, dj_load_histogram),                                                   \
    LANE_CALL(base, "time_histogram", false, dj_load_time_histogram),                                        \
    LANE_CALL(base, "byte_histogram", false, dj_load_byte_histogram),                                        \
    LANE_CALL(base, "byte_weights", false, dj_load_byte_weights),                                            \
    LANE_CALL(base, "keys", false, dj_load_keys), LANE_CALL(base, "strides", false, dj_load_strides),        \
    LANE_CALL(base, "simulated", false, dj_load_simulated),                                                  \
    LANE_CALL(base, "partitions", false, dj_load_partitions)

static void note_hashes(dj_lane_profile *lane, uint64_t seen)
{
    lane->has_fingerprint = seen >> FIELD_FINGERPRINT & 1;
    lane->has_digest = seen >> FIELD_DIGEST & 1;
}

static int load_block(dj_json_reader *reader, void *target)
{
    static const dj_json_field fields[] = {
        LANE_FIELDS(0), LANE_VALUE(0, DJ_JSON_UINT, accesses, false), {.name = NULL}};
    dj_profile *profile = target;
    if (profile->lane_count == LANES_MOST)
        return dj_json_fail(reader, "more than %d block sizes", LANES_MOST);
    dj_lane_profile *grown = realloc(profile->lanes, (profile->lane_count + 1) * sizeof *grown);
    if (!grown)
        return dj_fail_memory(dj_json_context(reader), "a profile", 0);
    profile->lanes = grown;
    dj_lane_profile *lane = &grown[profile->lane_count++];
    *lane = (dj_lane_profile){.id.sampling = 1, .accesses = ACCESSES_OF_FIRST};
    uint64_t seen = 0;
    int err = dj_json_read_object(reader, fields, lane, &seen);
    note_hashes(lane, seen);
    return err;
}

static int load_blocks(dj_json_reader *reader, void *value)
{
    return dj_json_read_list(reader, load_block, value);
}

#define FROM(field) offsetof(draft, profile.provenance.field)
#define HEAD(field) offsetof(draft, profile.field)

static const dj_json_field draft_fields[] = {
    LANE_FIELDS(offsetof(draft, lane)),
    {.name = "schema", .type = DJ_JSON_CALL, .required = true, .call = load_schema},
    {.name = "version",
     .type = DJ_JSON_CALL,
     .required = true,
     .offset = offsetof(draft, version),
     .call = load_version},
    {.name = "engine", .type = DJ_JSON_TEXT, .required = true, .offset = FROM(engine)},
    {.name = "partial", .type = DJ_JSON_BOOL, .required = true, .offset = FROM(partial)},
    {.name = "partial_reason", .type = DJ_JSON_TEXT, .offset = FROM(partial_reason)},
    {.name = "provenance",
     .type = DJ_JSON_CALL,
     .required = true,
     .offset = HEAD(provenance),
     .call = load_provenance},
    LANE_VALUE(offsetof(draft, lane), DJ_JSON_UINT, accesses, true),
    {.name = "read", .type = DJ_JSON_UINT, .offset = HEAD(accesses)},
    {.name = "requests", .type = DJ_JSON_UINT, .offset = HEAD(requests)},
    {.name = "bytes", .type = DJ_JSON_UINT, .offset = HEAD(bytes)},
    {.name = "outside", .type = DJ_JSON_UINT, .offset = HEAD(outside)},
    {.name = "reads", .type = DJ_JSON_UINT, .offset = HEAD(reads)},
    {.name = "writes", .type = DJ_JSON_UINT, .offset = HEAD(writes)},
    {.name = "blocks", .type = DJ_JSON_CALL, .offset = offsetof(draft, profile), .call = load_blocks},
    {.name = "attribution",
     .type = DJ_JSON_CALL,
     .offset = offsetof(draft, profile),
     .call = dj_load_attribution},
    {.name = "spatial", .type = DJ_JSON_CALL, .offset = offsetof(draft, profile), .call = dj_load_spatial},
    {.name = NULL},
};

// Reports print these without asking whether they are there.
static int fill_in_texts(dj_json_reader *reader, dj_provenance *from)
{
    char **texts[] = {&from->version, &from->command,    &from->engine,        &from->format,
                      &from->unit,    &from->statements, &from->partial_reason};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!*texts[i])
            *texts[i] = strdup("");
        if (!*texts[i])
            return dj_fail_memory(dj_json_context(reader), "a profile", 0);
    }
    return DJ_OK;
}

// Where nothing else is said, each lane counts all accesses of the trace.
static int fill_in_accesses(dj_json_reader *reader, dj_profile *profile)
{
    uint64_t first = profile->lanes[0].accesses;
    if (profile->accesses == ACCESSES_OF_FIRST)
        profile->accesses = first;
    for (size_t i = 0; i < profile->lane_count; i++) {
        dj_lane_profile *lane = &profile->lanes[i];
        if (lane->accesses == ACCESSES_OF_FIRST)
            lane->accesses = first;
        if (lane->accesses > profile->accesses)
            return dj_json_fail(reader,
                                "at blocks of %" PRIu64 " there are %" PRIu64
                                " accesses, more than the %" PRIu64 " of the trace",
                                lane->id.block_bytes, lane->accesses, profile->accesses);
        if (!(lane->id.sampling > 0 && lane->id.sampling <= 1))
            return dj_json_fail(reader, "a sampling rate of %g; it is above 0 and at most 1",
                                lane->id.sampling);
    }
    return DJ_OK;
}

static int finish_lane(dj_json_reader *reader, dj_lane_profile *lane, bool exact)
{
    int err = dj_load_finish_lane(reader, lane, exact);
    return err ? err : dj_load_finish_partitions(reader, lane, exact);
}

static int load(dj_json_reader *reader, dj_profile *profile)
{
    uint64_t seen = 0;
    draft d = {.profile = *profile, .lane.id.sampling = 1};
    d.profile.accesses = ACCESSES_OF_FIRST;
    int err = dj_json_read_object(reader, draft_fields, &d, &seen);
    note_hashes(&d.lane, seen);
    *profile = d.profile;
    profile->lanes[0] = d.lane;
    if (err == DJ_OK)
        err = fill_in_accesses(reader, profile);
    for (size_t i = 0; err == DJ_OK && i < profile->lane_count; i++)
        err = finish_lane(reader, &profile->lanes[i], profile->provenance.exact);
    if (err == DJ_OK)
        err = dj_load_finish_spatial(reader, profile);
    return err != DJ_OK ? err : fill_in_texts(reader, &profile->provenance);
}

// One of the processes of a document.
typedef struct search {
    dj_profile *profile;
    size_t wanted, count; // from 1 on; those that were there
} search;

static int load_process(dj_json_reader *reader, void *target)
{
    search *s = target;
    return ++s->count == s->wanted ? load(reader, s->profile) : dj_json_skip(reader);
}

static int load_processes(dj_json_reader *reader, void *value)
{
    return dj_json_read_list(reader, load_process, value);
}

static int find_process(dj_json_reader *reader, size_t process, dj_profile *profile)
{
    static const dj_json_field fields[] = {
        {.name = "schema", .type = DJ_JSON_CALL, .required = true, .call = load_schema},
        {.name = "processes", .type = DJ_JSON_CALL, .call = load_processes},
        {.name = NULL},
    };
    search s = {.profile = profile, .wanted = process};
    int err = dj_json_read_object(reader, fields, &s, NULL);
    if (err == DJ_OK && s.count < process)
        err = dj_json_fail(reader, "there is no process %zu; the profile has %zu besides its own", process,
                           s.count);
    return err;
}

int dj_profile_load_process(dj_context *context, FILE *in, const char *name, size_t process, dj_profile **out)
{
    dj_json_reader *reader = NULL;
    dj_profile *profile = NULL;
    int err = dj_json_reader_create(context, in, name, &reader);
    if (err == DJ_OK)
        err = dj_profile_create(context, 1, &profile);
    if (err == DJ_OK)
        err = process == 0 ? load(reader, profile) : find_process(reader, process, profile);
    if (err == DJ_OK)
        err = dj_json_expect_end(reader);
    dj_json_reader_destroy(reader);
    if (err != DJ_OK)
        dj_profile_destroy(profile);
    else
        *out = profile;
    return err;
}

int dj_profile_load(dj_context *context, FILE *in, const char *name, dj_profile **out)
{
    return dj_profile_load_process(context, in, name, 0, out);
}
