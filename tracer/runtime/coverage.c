// SPDX-License-Identifier: MIT
// -fsanitize-coverage=trace-pc: a call at the start of each basic block.
#include "runtime.h"

DJ_RT_EXPORT DJ_RT_HOT void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
    dj_rt_put(DJ_DIRECT_RECORD(DJ_DIRECT_PASS, (uintptr_t)__builtin_return_address(0)), 0);
}
