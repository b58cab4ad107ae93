// SPDX-License-Identifier: MIT
#include "profile/json_load.h"

#include <stdlib.h>
#include <string.h>

#include "profile/json.h"

static int append(dj_json_reader *reader, uint64_t **array, size_t count, uint64_t value)
{
    uint64_t *larger = dj_load_grown(reader, *array, count, sizeof *larger);
    if (!larger)
        return DJ_ERR_MEMORY;
    larger[count] = value;
    *array = larger;
    return DJ_OK;
}

#define NO_DEVICE UINT64_MAX

// The distances of the address that is being read.
typedef struct address {
    dj_key_profile *keys;
    uint64_t key;
    uint64_t device; // NO_DEVICE: none is told
    uint64_t end;    // of the distances of all addresses
} address;

static int load_distance(dj_json_reader *reader, void *target)
{
    address *a = target;
    uint64_t distance = 0;
    int err = dj_json_read_uint(reader, &distance);
    return err != DJ_OK ? err : append(reader, &a->keys->list_distances, a->end++, distance);
}

static int load_distances(dj_json_reader *reader, void *value)
{
    return dj_json_read_list(reader, load_distance, value);
}

static int add_device(dj_json_reader *reader, dj_key_profile *keys, uint64_t device)
{
    bool told = device != NO_DEVICE;
    if (keys->list_count > 0 && told != (keys->list_device != NULL))
        return dj_json_fail(reader, "a device must be told for all addresses or for none");
    return told ? append(reader, &keys->list_device, keys->list_count, device) : DJ_OK;
}

static int load_address(dj_json_reader *reader, void *target)
{
    static const dj_json_field fields[] = {
        {.name = "device", .type = DJ_JSON_UINT, .offset = offsetof(address, device)},
        {.name = "key", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(address, key)},
        {.name = "distances", .type = DJ_JSON_CALL, .required = true, .call = load_distances},
        {.name = NULL},
    };
    address *a = target;
    dj_key_profile *keys = a->keys;
    a->device = NO_DEVICE;
    int err = dj_json_read_object(reader, fields, a, NULL);
    if (err == DJ_OK)
        err = add_device(reader, keys, a->device);
    if (err == DJ_OK)
        err = append(reader, &keys->list_key, keys->list_count, a->key);
    if (err == DJ_OK)
        err = append(reader, &keys->list_offset, keys->list_count + 1, a->end);
    keys->list_count += err == DJ_OK;
    return err;
}

static int load_addresses(dj_json_reader *reader, void *value)
{
    address a = {.keys = value};
    int err = append(reader, &a.keys->list_offset, 0, 0);
    return err != DJ_OK ? err : dj_json_read_list(reader, load_address, &a);
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
    dj_key_profile *keys = NULL;
    int err = dj_lane_add_section(dj_json_context(reader), lane, &dj_section_keys, &keys);
    return err ? err : dj_json_read_object(reader, fields, keys, NULL);
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
    dj_simulated_profile *to = target;
    dj_simulated *larger = dj_load_grown(reader, to->caches, to->count, sizeof *larger);
    if (!larger)
        return DJ_ERR_MEMORY;
    to->caches = larger;
    int err = dj_json_read_object(reader, fields, &larger[to->count], NULL);
    to->count += err == DJ_OK;
    return err;
}

int dj_load_simulated(dj_json_reader *reader, void *lane)
{
    dj_simulated_profile *to = NULL;
    int err = dj_lane_add_section(dj_json_context(reader), lane, &dj_section_simulated, &to);
    return err ? err : dj_json_read_list(reader, load_cache, to);
}
