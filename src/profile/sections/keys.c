// SPDX-License-Identifier: MIT
// Section `keys` of a lane. The lists of addresses are stored in columns; in JSON they are rows.
#include <stdlib.h>

#include "profile/fields.h"
#include "profile/json.h"

#define NO_DEVICE UINT64_MAX

// An address while it is read.
typedef struct address {
    uint64_t device, key;
    uint64_t *distances;
    size_t count;
} address;

static bool has_device(const void *row)
{
    return ((const address *)row)->device != NO_DEVICE;
}

static const dj_field address_fields[] = {
    DJ_AT(U64, "device", address, device, .when = has_device),
    DJ_AT(U64, "key", address, key, .flags = DJ_FIELD_REQUIRED, .about = "number of the block, or the key"),
    DJ_NUMBER_LIST("distances", address, distances, count, .flags = DJ_FIELD_REQUIRED),
    DJ_END,
};
static const dj_table address_row = {address_fields, sizeof(address), DJ_ROW_LINE};

void dj_json_addresses(dj_json_writer *json, const char *key, const dj_key_profile *keys)
{
    dj_fields_writer writer = {.json = json, .section = keys};
    dj_json_begin_list(json, key);
    for (size_t i = 0; i < keys->list_count; i++) {
        const uint64_t from = keys->list_offset[i];
        const address row = {.device = keys->list_device ? keys->list_device[i] : NO_DEVICE,
                             .key = keys->list_key[i],
                             .distances = keys->list_distances ? keys->list_distances + from : NULL,
                             .count = (size_t)(keys->list_offset[i + 1] - from)};
        dj_json_begin_row(json, NULL);
        (void)dj_fields_write(&writer, address_fields, &row);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

DJ_WRITER(write_addresses)
{
    dj_json_addresses(writer->json, field->name, row);
}

static bool has_addresses(const void *row)
{
    return ((const dj_key_profile *)row)->list_key != NULL;
}

static int append(dj_json_reader *reader, uint64_t **array, size_t *count, uint64_t value)
{
    if ((*count & (*count - 1)) == 0) { // 0 or a power of two
        size_t capacity = *count == 0 ? 1 : 2 * *count;
        uint64_t *larger = reallocarray(*array, capacity, sizeof *larger);
        if (!larger)
            return dj_fail_memory(dj_json_context(reader), "a list of a profile", capacity * sizeof *larger);
        *array = larger;
    }
    (*array)[(*count)++] = value;
    return DJ_OK;
}

static int add_address(dj_json_reader *reader, dj_key_profile *keys, const address *a)
{
    const bool has = has_device(a);
    if (keys->list_count > 0 && has != (keys->list_device != NULL))
        return dj_json_fail(reader, "all addresses must have a device, or none");
    int err = has ? append(reader, &keys->list_device, &keys->device_count, a->device) : DJ_OK;
    for (size_t i = 0; !err && i < a->count; i++)
        err = append(reader, &keys->list_distances, &keys->distance_count, a->distances[i]);
    if (!err)
        err = append(reader, &keys->list_offset, &keys->offset_count, keys->distance_count);
    return err ? err : append(reader, &keys->list_key, &keys->list_count, a->key);
}

static int read_address(dj_json_reader *reader, void *target)
{
    address a = {.device = NO_DEVICE};
    int err = dj_fields_read(reader, &address_row, &a);
    if (!err)
        err = add_address(reader, target, &a);
    free(a.distances);
    return err;
}

static int read_addresses(dj_json_reader *reader, void *row)
{
    dj_key_profile *keys = row;
    int err = append(reader, &keys->list_offset, &keys->offset_count, 0);
    return err ? err : dj_json_read_list(reader, read_address, keys);
}

static const dj_field key_fields[] = {
    {.name = "access_count",
     .type = DJ_FIELD_MOMENTS,
     .histogram_at = offsetof(dj_key_profile, access_counts),
     .about = "over the keys"},
    DJ_AT(U64, "single_use", dj_key_profile, single_use, .flags = DJ_FIELD_REQUIRED,
          .about = "keys accessed once"),
    DJ_AT(HISTOGRAM, "histogram", dj_key_profile, access_counts, .flags = DJ_FIELD_REQUIRED | DJ_FIELD_EXACT,
          .about = "of the accesses to each key"),
    {.name = "addresses",
     .type = DJ_FIELD_JSON,
     .when = has_addresses,
     .write = write_addresses,
     .read = read_addresses,
     .rows = &address_row,
     .about = "in order of first access"},
    DJ_NUMBER_LIST("key", dj_key_profile, list_key, list_count, .flags = DJ_FIELD_NOT_JSON),
    DJ_NUMBER_LIST("device", dj_key_profile, list_device, device_count, .flags = DJ_FIELD_NOT_JSON),
    DJ_NUMBER_LIST("offset", dj_key_profile, list_offset, offset_count, .flags = DJ_FIELD_NOT_JSON),
    DJ_NUMBER_LIST("distance", dj_key_profile, list_distances, distance_count, .flags = DJ_FIELD_NOT_JSON),
    DJ_END,
};

static int check_keys(dj_context *context, void *value)
{
    dj_key_profile *keys = value;
    if (!keys->access_counts)
        return dj_fail(context, DJ_ERR_INPUT, "keys: there is no histogram");
    if (keys->list_count == 0 && keys->offset_count == 0 && keys->device_count == 0)
        return DJ_OK;
    bool fits = keys->offset_count == keys->list_count + 1 && keys->list_offset[0] == 0 &&
                keys->list_offset[keys->list_count] == keys->distance_count &&
                (keys->device_count == 0 || keys->device_count == keys->list_count);
    for (size_t i = 0; fits && i < keys->list_count; i++)
        fits = keys->list_offset[i] <= keys->list_offset[i + 1];
    return fits ? DJ_OK : dj_fail(context, DJ_ERR_INPUT, "keys: the lists of addresses are inconsistent");
}

const dj_section_ops dj_section_keys = {
    .name = "keys",
    .summary = "access counts and distances of each key",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .table = {key_fields, sizeof(dj_key_profile), DJ_ROW_OBJECT},
    .check = check_keys,
};
