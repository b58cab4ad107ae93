// SPDX-License-Identifier: MIT
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

void fuzz_put(fuzz_bytes *to, const void *data, size_t bytes)
{
    if (to->count + bytes > to->capacity) {
        to->capacity = 2 * (to->count + bytes);
        to->data = realloc(to->data, to->capacity);
        if (!to->data)
            abort();
    }
    if (bytes)
        memcpy(to->data + to->count, data, bytes);
    to->count += bytes;
}

size_t fuzz_take(fuzz_bytes *from, uint8_t *data, size_t bytes, size_t most)
{
    const bool fits = from->count > 0 && from->count <= most;
    if (fits)
        memcpy(data, from->data, from->count);
    bytes = fits ? from->count : LLVMFuzzerMutate(data, bytes, most);
    free(from->data);
    *from = (fuzz_bytes){0};
    return bytes;
}

uint64_t fuzz_number(dj_random *random)
{
    const uint64_t near = dj_random_below(random, 5) - 2;
    switch (dj_random_below(random, 4)) {
    case 0:
        return (UINT64_C(1) << dj_random_below(random, 64)) + near;
    case 1:
        return near;
    case 2:
        return dj_random_below(random, 256);
    default:
        return dj_random_next(random) >> dj_random_below(random, 64);
    }
}

void fuzz_mutate_bytes(fuzz_bytes *bytes)
{
    enum { MORE = 256 };
    static const uint8_t room[MORE];
    size_t count = bytes->count;
    fuzz_put(bytes, room, MORE);
    bytes->count = LLVMFuzzerMutate(bytes->data, count, count + MORE);
}

// The end of the number that begins at `at`.
static size_t number_end(const fuzz_bytes *of, size_t at)
{
    while (at < of->count && of->data[at] > 0x7f)
        at++;
    return at < of->count ? at + 1 : of->count;
}

// Numbers are found from any byte, since texts lie between them.
static size_t number_near(const fuzz_bytes *of, dj_random *random)
{
    size_t at = of->count ? dj_random_below(random, of->count) : 0;
    while (at > 0 && of->data[at - 1] > 0x7f)
        at--;
    return at;
}

static void put_number(fuzz_bytes *to, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        fuzz_put(to, &(uint8_t){(uint8_t)(number | 0x80)}, 1);
    fuzz_put(to, &(uint8_t){(uint8_t)number}, 1);
}

void fuzz_mutate_numbers(fuzz_bytes *numbers, dj_random *random)
{
    enum { REPLACE, INSERT, DROP, REPEAT, BYTES, KINDS };
    const uint64_t kind = dj_random_below(random, KINDS);
    if (kind == BYTES || numbers->count == 0) {
        fuzz_mutate_bytes(numbers);
        return;
    }
    fuzz_bytes out = {0};
    size_t at = number_near(numbers, random), end = number_end(numbers, at);
    for (uint64_t more = dj_random_below(random, 4); kind == DROP && more > 0; more--)
        end = number_end(numbers, end);
    fuzz_put(&out, numbers->data, kind == REPEAT ? end : at);
    if (kind == REPLACE || kind == INSERT)
        put_number(&out, fuzz_number(random));
    for (uint64_t times = dj_random_below(random, 16) + 1; kind == REPEAT && times > 0; times--)
        fuzz_put(&out, numbers->data + at, end - at);
    if (kind == INSERT)
        end = at;
    fuzz_put(&out, numbers->data + end, numbers->count - end);
    free(numbers->data);
    *numbers = out;
}
