// SPDX-License-Identifier: MIT
#include "profile/json_load.h"

#include <stdlib.h>
#include <string.h>

#include "profile/json.h"

// Room for one more element in an array whose length is `count`.
static int grow(dj_json_reader *reader, void *array, size_t count, size_t element_bytes)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return DJ_OK;
    void *items;
    memcpy(&items, array, sizeof items);
    size_t room = count == 0 ? 1 : 2 * count;
    void *grown = reallocarray(items, room, element_bytes);
    if (!grown)
        return dj_fail_memory(dj_json_context(reader), "a list of a profile", room * element_bytes);
    memcpy(array, &grown, sizeof grown);
    return DJ_OK;
}

// The distances of the address that is being read.
typedef struct address {
    dj_key_profile *keys;
    uint64_t key;
    uint64_t end; // of the distances of all addresses
} address;

static int load_distance(dj_json_reader *reader, void *target)
{
    address *a = target;
    int err = grow(reader, &a->keys->list_distances, a->end, sizeof *a->keys->list_distances);
    return err != DJ_OK ? err : dj_json_read_uint(reader, &a->keys->list_distances[a->end++]);
}

static int load_distances(dj_json_reader *reader, void *value)
{
    return dj_json_read_list(reader, load_distance, value);
}

static int load_address(dj_json_reader *reader, void *target)
{
    static const dj_json_field fields[] = {
        {.name = "key", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(address, key)},
        {.name = "distances", .type = DJ_JSON_CALL, .required = true, .call = load_distances},
        {.name = NULL},
    };
    address *a = target;
    dj_key_profile *keys = a->keys;
    int err = dj_json_read_object(reader, fields, a, NULL);
    if (err == DJ_OK)
        err = grow(reader, &keys->list_key, keys->list_count, sizeof *keys->list_key);
    if (err == DJ_OK)
        err = grow(reader, &keys->list_offset, keys->list_count + 1, sizeof *keys->list_offset);
    if (err != DJ_OK)
        return err;
    keys->list_key[keys->list_count++] = a->key;
    keys->list_offset[keys->list_count] = a->end;
    return DJ_OK;
}

static int load_addresses(dj_json_reader *reader, void *value)
{
    address a = {.keys = value};
    int err = grow(reader, &a.keys->list_offset, 0, sizeof *a.keys->list_offset);
    if (err != DJ_OK)
        return err;
    a.keys->list_offset[0] = 0;
    return dj_json_read_list(reader, load_address, &a);
}

static int load_access_counts(dj_json_reader *reader, void *value)
{
    dj_lane_profile lane = {0};
    int err = dj_load_histogram(reader, &lane);
    ((dj_key_profile *)value)->access_counts = lane.distance;
    return err;
}

int dj_load_keys(dj_json_reader *reader, void *lane)
{
    static const dj_json_field fields[] = {
        {.name = "single_use",
         .type = DJ_JSON_UINT,
         .required = true,
         .offset = offsetof(dj_key_profile, single_use)},
        {.name = "histogram", .type = DJ_JSON_CALL, .required = true, .call = load_access_counts},
        {.name = "addresses", .type = DJ_JSON_CALL, .call = load_addresses},
        {.name = NULL},
    };
    dj_key_profile *keys = calloc(1, sizeof *keys);
    if (!keys)
        return dj_fail_memory(dj_json_context(reader), "statistics of keys", sizeof *keys);
    ((dj_lane_profile *)lane)->keys = keys;
    return dj_json_read_object(reader, fields, keys, NULL);
}

static int load_policy(dj_json_reader *reader, void *value)
{
    char *name = NULL;
    int err = dj_json_read_text(reader, &name);
    if (err != DJ_OK)
        return err;
    int policy = 0;
    while (dj_policy_names[policy] && strcmp(dj_policy_names[policy], name) != 0)
        policy++;
    if (!dj_policy_names[policy])
        err = dj_json_fail(reader, "there is no policy \"%.32s\"", name);
    else
        ((dj_simulated *)value)->policy = (enum dj_policy)policy;
    free(name);
    return err;
}

static int load_cache(dj_json_reader *reader, void *target)
{
    static const dj_json_field fields[] = {
        {.name = "policy", .type = DJ_JSON_CALL, .required = true, .call = load_policy},
        {.name = "size",
         .type = DJ_JSON_UINT,
         .required = true,
         .offset = offsetof(dj_simulated, size_blocks)},
        {.name = "sets", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(dj_simulated, sets)},
        {.name = "ways", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(dj_simulated, ways)},
        {.name = "misses", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(dj_simulated, misses)},
        {.name = NULL},
    };
    dj_lane_profile *lane = target;
    int err = grow(reader, &lane->simulated, lane->simulated_count, sizeof *lane->simulated);
    if (err == DJ_OK)
        err = dj_json_read_object(reader, fields, &lane->simulated[lane->simulated_count], NULL);
    lane->simulated_count += err == DJ_OK;
    return err;
}

int dj_load_simulated(dj_json_reader *reader, void *lane)
{
    return dj_json_read_list(reader, load_cache, lane);
}
