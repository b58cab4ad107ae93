// SPDX-License-Identifier: MIT
#include "base/tlb.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

typedef struct registers {
    unsigned a, b, c, d;
} registers;

static registers ask(unsigned leaf, unsigned part)
{
    registers r = {0, 0, 0, 0};
    if ((unsigned)__get_cpuid_max(leaf & 0x80000000u, NULL) >= leaf)
        __cpuid_count(leaf, part, r.a, r.b, r.c, r.d);
    return r;
}

static void add(dj_tlb *out, size_t *count, unsigned level, uint64_t page_bytes, uint64_t entries)
{
    if (entries > 0 && *count < DJ_TLBS_MAX)
        out[(*count)++] = (dj_tlb){level, page_bytes, entries};
}

// The family of the processor, base and extension.
static unsigned family(void)
{
    enum { BASE = 8, EXTENSION = 20, FOUR_BITS = 0xf, EIGHT_BITS = 0xff };
    const unsigned a = ask(1, 0).a;
    return (a >> BASE & FOUR_BITS) + (a >> EXTENSION & EIGHT_BITS);
}

// Leaves 0x80000005 and 0x80000006 of AMD. Zen 5 counts the second level in units of 32; it says so in a bit
// of leaf 0x80000021, which hypervisors hide.
static size_t ask_amd(dj_tlb *out)
{
    enum { DATA = 16, EIGHT_BITS = 0xff, TWELVE_BITS = 0xfff, BY_32 = 1 << 14, ZEN_5 = 0x1a };
    const registers first = ask(0x80000005u, 0), second = ask(0x80000006u, 0);
    const uint64_t unit = ask(0x80000021u, 0).a & BY_32 || family() >= ZEN_5 ? 32 : 1;
    size_t count = 0;
    add(out, &count, 1, DJ_PAGE, first.b >> DATA & EIGHT_BITS);
    add(out, &count, 2, DJ_PAGE, unit * (second.b >> DATA & TWELVE_BITS));
    add(out, &count, 1, DJ_HUGE_PAGE, first.a >> DATA & EIGHT_BITS);
    add(out, &count, 2, DJ_HUGE_PAGE, unit * (second.a >> DATA & TWELVE_BITS));
    return count;
}

// Leaf 0x18 of Intel describes one buffer in each part. Those for loads alone stand for the first level.
static size_t ask_intel(dj_tlb *out)
{
    enum { LEAF = 0x18, KINDS = 0x1f, DATA = 1, UNIFIED = 3, LOADS = 4, LEVEL = 5, LEVELS = 7, WAYS = 16 };
    static const struct {
        uint64_t bytes;
        unsigned bit;
    } pages[] = {{DJ_PAGE, 1}, {DJ_HUGE_PAGE, 2}};
    size_t count = 0;
    const unsigned parts = ask(LEAF, 0).a;
    for (size_t p = 0; p < sizeof pages / sizeof *pages; p++)
        for (unsigned level = 1; level <= 2; level++)
            for (unsigned part = 0; part <= parts && part < WAYS; part++) {
                const registers r = ask(LEAF, part);
                const unsigned kind = r.d & KINDS;
                if ((kind == DATA || kind == UNIFIED || kind == LOADS) && (r.d >> LEVEL & LEVELS) == level &&
                    r.b & pages[p].bit) {
                    add(out, &count, level, pages[p].bytes, (uint64_t)(r.b >> WAYS) * r.c);
                    break;
                }
            }
    return count;
}

static size_t ask_processor(dj_tlb *out)
{
    char name[13] = "";
    const registers r = ask(0, 0);
    memcpy(name, &r.b, sizeof r.b);
    memcpy(name + 4, &r.d, sizeof r.d);
    memcpy(name + 8, &r.c, sizeof r.c);
    return strcmp(name, "GenuineIntel") == 0                                        ? ask_intel(out)
           : strcmp(name, "AuthenticAMD") == 0 || strcmp(name, "HygonGenuine") == 0 ? ask_amd(out)
                                                                                    : 0;
}
#else
static size_t ask_processor(dj_tlb *out)
{
    (void)out;
    return 0;
}
#endif

size_t dj_machine_tlbs(dj_tlb out[DJ_TLBS_MAX], bool *known)
{
    static const dj_tlb typical[] = {
        {1, DJ_PAGE, 64}, {2, DJ_PAGE, 1536}, {1, DJ_HUGE_PAGE, 32}, {2, DJ_HUGE_PAGE, 1536}};
    size_t count = ask_processor(out);
    *known = count > 0;
    if (count > 0)
        return count;
    memcpy(out, typical, sizeof typical);
    return sizeof typical / sizeof *typical;
}
