// SPDX-License-Identifier: MIT
// Which instructions only write memory.
#include "symbols/code.h"

// The bytes of an instruction from its opcode on.
typedef struct opcode {
    const uint8_t *bytes;
    uint64_t rest;
    uint8_t prefix; // 0x66, 0xf2, 0xf3; 0: none
    bool escaped;   // after 0x0f
    bool vector;    // VEX: the instructions with other meanings are not encoded
} opcode;

// 2-byte and 3-byte VEX prefixes, with the first of the opcode maps.
static bool skip_vex(opcode *o)
{
    static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};
    const uint64_t bytes = o->bytes[0] == 0xc5 ? 2 : o->bytes[0] == 0xc4 ? 3 : 0;
    if (bytes == 0)
        return true;
    if (o->rest <= bytes || (bytes == 3 && (o->bytes[1] & 0x1f) != 1))
        return false;
    o->prefix = prefixes[o->bytes[bytes - 1] & 3];
    o->escaped = o->vector = true;
    o->bytes += bytes;
    o->rest -= bytes;
    return true;
}

static bool read_opcode(opcode *o)
{
    for (; o->rest > 0 && (o->bytes[0] == 0x66 || o->bytes[0] == 0xf2 || o->bytes[0] == 0xf3);
         o->bytes++, o->rest--)
        o->prefix = o->bytes[0];
    if (o->rest > 0 && o->bytes[0] >> 4 == 4) { // REX
        o->bytes++;
        o->rest--;
    }
    if (o->rest == 0 || !skip_vex(o))
        return false;
    if (!o->escaped && o->bytes[0] == 0x0f) {
        o->escaped = true;
        o->bytes++;
        o->rest--;
    }
    return o->rest > 0;
}

// Moves of vector registers, and setcc.
static bool stores_escaped(const opcode *o)
{
    switch (o->bytes[0]) {
    case 0x11:
    case 0x13:
    case 0x17:
    case 0x29:
    case 0x2b:
    case 0x7f:
    case 0xd6:
    case 0xe7:
        return true;
    case 0x7e:
        return o->prefix != 0xf3; // which loads
    default:
        return !o->vector && o->bytes[0] >> 4 == 9;
    }
}

// Stores of the x87 by the field of the second byte.
static bool stores_float(uint8_t first, unsigned field)
{
    switch (first) {
    case 0xd9:
        return field == 2 || field == 3 || field == 7;
    case 0xdb:
    case 0xdd:
        return (field >= 1 && field <= 3) || field == 7;
    case 0xdf:
        return (field >= 1 && field <= 3) || field >= 6;
    default:
        return false;
    }
}

static bool stores(const opcode *o)
{
    const uint8_t first = o->bytes[0];
    if (!o->escaped && (first >> 3 == 0x50 >> 3 || first == 0x68 || first == 0x6a || first == 0xe8))
        return true; // pushes of registers and constants, direct calls
    if (o->rest < 2)
        return false;
    const unsigned field = o->bytes[1] >> 3 & 7;
    if (o->bytes[1] >> 6 == 3) // a register, not memory
        return !o->escaped && first == 0xff && (field == 2 || field == 6);
    if (o->escaped)
        return stores_escaped(o);
    return first == 0x88 || first == 0x89 || ((first == 0xc6 || first == 0xc7) && field == 0) ||
           stores_float(first, field);
}

bool dj_module_stores(const dj_module *module, uint64_t address)
{
    opcode o = {0};
    o.bytes = module->machine == EM_X86_64 ? dj_module_bytes(module, address, &o.rest) : NULL;
    return o.bytes && read_opcode(&o) && stores(&o);
}
