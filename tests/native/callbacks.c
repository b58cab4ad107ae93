// SPDX-License-Identifier: MIT
// Calls every callback of the compilers by hand, once for each bit of what they
// may say, and prints where the data lies.
#include <stdio.h>

#define PLAIN __attribute__((no_sanitize_thread, noinline))
#define SIZES(do, name) do(name##1) do(name##2) do(name##4) do(name##8) do(name##16)
#define ALL(do)                                                                                              \
    SIZES(do, read) SIZES(do, write) SIZES(do, read_write) SIZES(do, unaligned_read)                         \
    SIZES(do, unaligned_write) SIZES(do, unaligned_read_write) SIZES(do, volatile_read)                      \
    SIZES(do, volatile_write) SIZES(do, unaligned_volatile_read) SIZES(do, unaligned_volatile_write)

#define DECLARE(name) extern void __tsan_##name(void *), __tsan_##name##_pc(void *, void *);
ALL(DECLARE)
extern void __tsan_read_range(void *, unsigned long), __tsan_write_range(void *, unsigned long);
extern void __tsan_read_range_pc(void *, unsigned long, void *);
extern void __tsan_write_range_pc(void *, unsigned long, void *);
extern void __tsan_vptr_read(void *), __tsan_vptr_update(void *, void *);
extern void __sanitizer_cov_trace_pc(void);

static char cells[4096];

PLAIN static void call_all(void *pc)
{
    char *at = cells;
#define CALL(name) __tsan_##name(at++);
#define CALL_PC(name) __tsan_##name##_pc(at++, pc);
    ALL(CALL)
    ALL(CALL_PC)
    __tsan_vptr_read(at++);
    __tsan_vptr_update(at++, NULL);
    static const unsigned long lengths[] = {0, 1, 3, 4, 16, 24, 64, 100};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        __tsan_read_range(at++, lengths[i]);
        __tsan_write_range_pc(at++, lengths[i], pc);
    }
    __sanitizer_cov_trace_pc();
}

PLAIN int main(void)
{
    call_all((void *)main);
    printf("%p %p\n", (void *)cells, (void *)main);
    return 0;
}
