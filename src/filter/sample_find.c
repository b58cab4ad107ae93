// SPDX-License-Identifier: MIT
#include "filter/sample_find.h"

#include <string.h>

#include "base/machine.h"

void dj_sample_find_portable(const dj_sample_choice *choice, const uint64_t *address, uint32_t count,
                             uint64_t *bits)
{
    for (uint32_t from = 0; from < count; from += 64) {
        const uint32_t n = count - from < 64 ? count - from : 64;
        uint64_t found = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t hash = dj_sample_hash(address[from + i] >> choice->shift, choice->seed);
            found |= (uint64_t)dj_sample_has(hash, choice->log2) << i;
        }
        bits[from / 64] = found;
    }
}

dj_sample_find_function *dj_sample_find_choose(void)
{
#if defined(__x86_64__)
    if (strcmp(dj_machine_simd(), "avx512") == 0)
        return dj_sample_find_avx512;
    if (strcmp(dj_machine_simd(), "avx2") == 0)
        return dj_sample_find_avx2;
#endif
    return dj_sample_find_portable;
}
