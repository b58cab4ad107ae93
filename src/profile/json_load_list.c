// SPDX-License-Identifier: MIT
// Lists of a profile, read element by element.
#include <inttypes.h>
#include <stdlib.h>

#include "profile/json_load.h"

void *dj_load_grown(dj_json_reader *reader, void *array, size_t count, size_t element_bytes)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return array;
    size_t room = count == 0 ? 1 : 2 * count;
    void *larger = reallocarray(array, room, element_bytes);
    if (!larger)
        (void)dj_fail_memory(dj_json_context(reader), "a list of a profile", room * element_bytes);
    return larger;
}

int dj_load_u32(dj_json_reader *reader, uint32_t *out)
{
    uint64_t value = 0;
    int err = dj_json_read_uint(reader, &value);
    if (err == DJ_OK && value > UINT32_MAX)
        return dj_json_fail(reader, "%" PRIu64 " is more than 2^32 - 1", value);
    *out = (uint32_t)value;
    return err;
}

int dj_load_ends_early(dj_json_reader *reader, const char *name)
{
    return dj_json_fail(reader, "a row ends before its %s", name);
}

int dj_load_need(dj_json_reader *reader, bool first, const char *name)
{
    bool more;
    int err = dj_json_step(reader, ']', first, &more);
    if (err == DJ_OK && !more)
        return dj_load_ends_early(reader, name);
    return err;
}

int dj_load_rest(dj_json_reader *reader)
{
    for (;;) {
        bool more;
        int err = dj_json_step(reader, ']', false, &more);
        if (err == DJ_OK && more)
            err = dj_json_skip(reader);
        if (err != DJ_OK || !more)
            return err;
    }
}

static int load_number(dj_json_reader *reader, void *target)
{
    dj_load_numbers *to = target;
    if (to->count == to->most)
        return dj_json_fail(reader, "a list has more than %zu %s", to->most, to->what);
    return dj_json_read_uint(reader, &to->numbers[to->count++]);
}

int dj_load_number_list(dj_json_reader *reader, void *numbers)
{
    return dj_json_read_list(reader, load_number, numbers);
}
