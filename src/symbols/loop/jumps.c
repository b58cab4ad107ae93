// SPDX-License-Identifier: MIT
// Jump tables, as compilers make them for switches: 4-byte offsets from the table itself, whose address a
// "lea" before the jump loads, or 8-byte addresses, at an address in the jump.
#include <string.h>

#include "base/little_endian.h"
#include "symbols/loop/loop.h"

enum { TARGETS_MOST = 1 << 12, TABLES_MOST = 256, TABLE_WITHIN = 1 << 14, BOUND_WITHIN = 24 };

typedef struct jump_table {
    uint64_t address;
    uint64_t entry_bytes; // 4: offsets; 8: addresses
} jump_table;

static dj_instruction *target_at(const dj_module *module, const dj_listing *listing, jump_table table,
                                 uint64_t index)
{
    uint64_t rest = 0, at = table.address + index * table.entry_bytes;
    const uint8_t *bytes = dj_module_bytes(module, at, &rest);
    if (!bytes || rest < table.entry_bytes)
        return NULL;
    uint64_t target = table.entry_bytes == 8
                          ? dj_read_le64(bytes)
                          : table.address + (uint64_t)(int64_t)(int32_t)dj_read_le32(bytes);
    dj_instruction *found = dj_listing_find(listing, target);
    return found && found->address == target ? found : NULL;
}

static const uint8_t *bytes_of(const dj_module *module, const dj_instruction *instruction)
{
    uint64_t rest = 0;
    const uint8_t *bytes = dj_module_bytes(module, instruction->address, &rest);
    return bytes && rest >= instruction->bytes ? bytes : NULL;
}

// The number that "cmp $number, register or memory" compares with.
static bool compared_number(const uint8_t *bytes, size_t count, uint64_t *out)
{
    size_t at = 0;
    while (at < count && (bytes[at] == 0x66 || (bytes[at] & 0xf0) == 0x40))
        at++;
    if (at + 2 > count)
        return false;
    uint8_t code = bytes[at];
    bool compares = (bytes[at + 1] & 0x38) == 0x38;
    if (code == 0x3c || ((code == 0x83 || code == 0x80) && compares))
        *out = bytes[count - 1];
    else if ((code == 0x3d || (code == 0x81 && compares)) && at + 5 <= count && !memchr(bytes, 0x66, at))
        *out = dj_read_le32(bytes + count - 4);
    else
        return false;
    return true;
}

// The number of entries that the check before the jump allows: "cmp $n; ja default". 0: unknown.
static uint64_t find_bound(const dj_module *module, const dj_listing *listing, const dj_instruction *jump)
{
    const dj_instruction *at = jump;
    for (int i = 0; i < BOUND_WITHIN && at > listing->rows; i++) {
        at--;
        if (at->flow != DJ_FLOW_BRANCH)
            continue;
        const uint8_t *branch = bytes_of(module, at);
        uint64_t number = 0;
        if (!branch || at == listing->rows)
            return 0;
        uint8_t condition = (uint8_t)((branch[0] == 0x0f ? branch[1] : branch[0]) & 0x0f);
        const dj_instruction *compare = at - 1;
        const uint8_t *bytes = bytes_of(module, compare);
        if ((condition != 0x7 && condition != 0x6) || !bytes ||
            !compared_number(bytes, compare->bytes, &number))
            return 0;
        return number + 1;
    }
    return 0;
}

// "jmp *table(,%register,8)"
static uint64_t absolute_table(const dj_module *module, const dj_instruction *jump)
{
    const uint8_t *bytes = bytes_of(module, jump);
    size_t at = 0;
    while (bytes && at < jump->bytes &&
           (bytes[at] == 0x3e || bytes[at] == 0xf2 || (bytes[at] & 0xf0) == 0x40))
        at++;
    if (!bytes || at + 7 != jump->bytes || bytes[at] != 0xff || bytes[at + 1] != 0x24 ||
        (bytes[at + 2] & 0xc7) != 0xc5)
        return 0;
    return dj_read_le32(bytes + at + 3);
}

// The nearest address loaded before the jump at which there is a table.
static bool find_table(const dj_module *module, const dj_listing *listing, const dj_instruction *jump,
                       jump_table *out)
{
    *out = (jump_table){absolute_table(module, jump), 8};
    if (out->address != 0)
        return target_at(module, listing, *out, 0);
    int tried = 0;
    const dj_instruction *first = jump - listing->rows > TABLE_WITHIN ? jump - TABLE_WITHIN : listing->rows;
    for (const dj_instruction *at = jump; at-- > first && tried < TABLES_MOST;) {
        if (at->flow != DJ_FLOW_ON || at->target == 0)
            continue;
        tried++;
        *out = (jump_table){at->target, 4};
        if (target_at(module, listing, *out, 0))
            return true;
    }
    return false;
}

// Whether another table may start at the address.
static bool is_formed(const dj_listing *listing, uint64_t address)
{
    size_t lo = 0, hi = listing->formed_count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (listing->formed[middle] < address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < listing->formed_count && listing->formed[lo] == address;
}

size_t dj_jump_targets(const dj_module *module, const dj_listing *listing, const dj_instruction *jump,
                       dj_target_visit *visit, void *user)
{
    jump_table table;
    size_t count = 0;
    if (!find_table(module, listing, jump, &table))
        return 0;
    uint64_t bound = find_bound(module, listing, jump);
    bool bounded = bound > 0 && bound <= TARGETS_MOST;
    for (; count < (bounded ? bound : TARGETS_MOST); count++) {
        dj_instruction *target = target_at(module, listing, table, count);
        bool over = !bounded && count > 0 && is_formed(listing, table.address + count * table.entry_bytes);
        if (!target || over || visit(user, target) != DJ_OK)
            break;
    }
    return count;
}
