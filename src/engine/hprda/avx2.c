// SPDX-License-Identifier: MIT
// Only this file is compiled for AVX2, BMI2 and POPCNT.
#include "engine/hprda/hprda.h"

#if defined(__AVX2__)
#include "engine/hprda/kernel.h"

void dj_hprda_analyze_avx2(dj_hprda_scratch *scratch, const dj_hprda_trace *trace, dj_hprda_group *group,
                           dj_hprda_info *infos)
{
    analyze_group(scratch, trace, group, infos);
}
#endif
