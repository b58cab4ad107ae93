// SPDX-License-Identifier: MIT
// Reads a profile from JSON; docs/formats.md describes the format. Members may be in any order.
#include "profile/load.h"

#include <stdlib.h>
#include <string.h>

#include "profile/fields.h"
#include "profile/json.h"

#define ACCESSES_UNKNOWN UINT64_MAX // means those of the first lane

// A profile, or one of its further lanes, while its object is read.
typedef struct target {
    dj_profile *profile;
    size_t lane;    // the first one is read along with the profile
    uint64_t *seen; // for each section, the fields seen so far
    bool seen_accesses, seen_blocks;
} target;

static int read_members(dj_json_reader *reader, target *to);

static int read_block(dj_json_reader *reader, void *profile)
{
    dj_profile *p = profile;
    if (p->lane_count == DJ_LANES_MOST)
        return dj_json_fail(reader, "more than %d block sizes", DJ_LANES_MOST);
    dj_lane_profile *grown = reallocarray(p->lanes, p->lane_count + 1, sizeof *grown);
    if (!grown)
        return dj_fail_memory(dj_json_context(reader), "a profile", 0);
    p->lanes = grown;
    grown[p->lane_count++] = (dj_lane_profile){.id.sampling = 1, .accesses = ACCESSES_UNKNOWN};
    target to = {.profile = p, .lane = p->lane_count - 1};
    return read_members(reader, &to);
}

static bool belongs(const target *to, const dj_section_ops *ops)
{
    return ops->scope == DJ_SCOPE_LANE || to->lane == 0;
}

static int add_section(dj_context *context, const target *to, const dj_section_ops *ops, void **value)
{
    if (ops->scope == DJ_SCOPE_PROFILE)
        return dj_profile_add_section(context, to->profile, ops, value);
    return dj_lane_add_section(context, &to->profile->lanes[to->lane], ops, value);
}

// A section in its own object.
static int read_section(dj_json_reader *reader, target *to, size_t index)
{
    const dj_section_ops *ops = dj_section_get(index);
    dj_context *context = dj_json_context(reader);
    void *value = NULL;
    if (to->seen[index])
        return dj_json_fail(reader, "\"%s\" appears twice", ops->name);
    to->seen[index] = 1;
    int err = add_section(context, to, ops, &value);
    if (!err)
        err = dj_fields_read(reader, &ops->table, value);
    if (err || !ops->check)
        return err;
    err = ops->check(context, value);
    return err == DJ_ERR_INPUT ? dj_json_fail(reader, "%s", dj_context_message(context)) : err;
}

static int read_spread(dj_json_reader *reader, target *to, size_t index, size_t field)
{
    const dj_section_ops *ops = dj_section_get(index);
    const dj_field *f = &ops->table.fields[field];
    void *value = NULL;
    int err = dj_fields_see(reader, f, field, &to->seen[index]);
    if (!err)
        err = add_section(dj_json_context(reader), to, ops, &value);
    return err ? err : dj_fields_read_field(reader, f, value);
}

static size_t find_field(const dj_field *fields, const char *key)
{
    size_t i = 0;
    while (fields[i].type != DJ_FIELD_END &&
           (strcmp(fields[i].name, key) != 0 || dj_field_flag(&fields[i], DJ_FIELD_NOT_JSON)))
        i++;
    return fields[i].type == DJ_FIELD_END ? SIZE_MAX : i;
}

static int see_once(dj_json_reader *reader, const char *key, bool *seen)
{
    if (*seen)
        return dj_json_fail(reader, "\"%s\" appears twice", key);
    *seen = true;
    return DJ_OK;
}

static int read_member(dj_json_reader *reader, target *to)
{
    const char *key;
    int err = dj_json_read_key(reader, &key);
    if (err)
        return err;
    if (to->lane == 0 && strcmp(key, "blocks") == 0) {
        err = see_once(reader, "blocks", &to->seen_blocks);
        return err ? err : dj_json_read_list(reader, read_block, to->profile);
    }
    if (to->lane > 0 && strcmp(key, "accesses") == 0) {
        err = see_once(reader, "accesses", &to->seen_accesses);
        return err ? err : dj_json_read_uint(reader, &to->profile->lanes[to->lane].accesses);
    }
    for (size_t i = 0; i < dj_section_count(); i++) {
        const dj_section_ops *ops = dj_section_get(i);
        if (!belongs(to, ops))
            continue;
        if (!ops->spread && strcmp(key, ops->name) == 0)
            return read_section(reader, to, i);
        size_t field = ops->spread ? find_field(ops->table.fields, key) : SIZE_MAX;
        if (field != SIZE_MAX)
            return read_spread(reader, to, i, field);
    }
    return dj_json_skip(reader);
}

static int check_members(dj_json_reader *reader, const target *to)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < dj_section_count(); i++) {
        const dj_section_ops *ops = dj_section_get(i);
        bool there = ops->table.bytes == 0 || to->seen[i];
        if (belongs(to, ops) && ops->spread && there)
            err = dj_fields_check_seen(reader, ops->table.fields, to->seen[i]);
    }
    return err;
}

static int read_members(dj_json_reader *reader, target *to)
{
    to->seen = calloc(dj_section_count(), sizeof *to->seen);
    if (!to->seen)
        return dj_fail_memory(dj_json_context(reader), "a profile", 0);
    int err = dj_json_enter(reader, '{');
    for (bool first = true, more; !err; first = false) {
        err = dj_json_step(reader, '}', first, &more);
        if (err || !more)
            break;
        err = read_member(reader, to);
    }
    if (!err)
        err = check_members(reader, to);
    free(to->seen);
    return err;
}

int dj_profile_settle(dj_context *context, dj_profile *profile)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < dj_section_count(); i++) {
        const dj_section_ops *ops = dj_section_get(i);
        void *value = ops->scope == DJ_SCOPE_PROFILE ? dj_profile_section(profile, ops) : NULL;
        if (ops->settle && value)
            err = ops->settle(context, profile, NULL, value);
        for (size_t k = 0; !err && ops->settle && ops->scope == DJ_SCOPE_LANE && k < profile->lane_count;
             k++) {
            value = dj_lane_section(&profile->lanes[k], ops);
            if (value)
                err = ops->settle(context, profile, &profile->lanes[k], value);
        }
    }
    return err;
}

static int load(dj_json_reader *reader, dj_profile *profile)
{
    dj_context *context = dj_json_context(reader);
    target to = {.profile = profile};
    profile->accesses = ACCESSES_UNKNOWN;
    profile->lanes[0].id.sampling = 1;
    int err = read_members(reader, &to);
    if (err)
        return err;
    // By default each lane counts all accesses of the trace.
    uint64_t first = profile->lanes[0].accesses;
    if (profile->accesses == ACCESSES_UNKNOWN)
        profile->accesses = first;
    for (size_t i = 1; i < profile->lane_count; i++)
        if (profile->lanes[i].accesses == ACCESSES_UNKNOWN)
            profile->lanes[i].accesses = first;
    err = dj_profile_settle(context, profile);
    return err == DJ_ERR_INPUT ? dj_json_fail(reader, "%s", dj_context_message(context)) : err;
}

// The search for one process of a document.
typedef struct search {
    dj_profile *profile;
    size_t wanted, count; // from 1; number found so far
} search;

static int load_process(dj_json_reader *reader, void *found)
{
    search *s = found;
    return ++s->count == s->wanted ? load(reader, s->profile) : dj_json_skip(reader);
}

static int read_processes(dj_json_reader *reader, void *found)
{
    return dj_json_read_list(reader, load_process, found);
}

static int find_process(dj_json_reader *reader, size_t process, dj_profile *profile)
{
    dj_field schema = dj_section_header.table.fields[0];
    const dj_field fields[] = {
        schema,
        {.name = "processes", .type = DJ_FIELD_JSON, .read = read_processes},
        DJ_END,
    };
    const dj_table table = {fields, sizeof(search), DJ_ROW_OBJECT};
    search s = {.profile = profile, .wanted = process};
    int err = dj_fields_read(reader, &table, &s);
    if (!err && s.count < process)
        err = dj_json_fail(reader, "there is no process %zu; the profile contains %zu other processes",
                           process, s.count);
    return err;
}

int dj_json_load_process(dj_context *context, FILE *in, const char *name, size_t process, dj_profile *profile)
{
    dj_json_reader *reader = NULL;
    int err = dj_json_reader_create(context, in, name, &reader);
    if (!err)
        err = process == 0 ? load(reader, profile) : find_process(reader, process, profile);
    if (!err)
        err = dj_json_expect_end(reader);
    dj_json_reader_destroy(reader);
    return err;
}
