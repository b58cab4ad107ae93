// SPDX-License-Identifier: MIT
// Calls every callback of the compilers explicitly, once for each combination of
// arguments, and prints the address of the data.
#include <stdio.h>

#define PLAIN __attribute__((no_sanitize_thread, noinline))
#define SIZES(each, name) each(name##1) each(name##2) each(name##4) each(name##8) each(name##16)
#define ALIGNED(each) SIZES(each, read) SIZES(each, write) SIZES(each, read_write)
#define PACKED(each)                                                                                         \
    SIZES(each, unaligned_read) SIZES(each, unaligned_write) SIZES(each, unaligned_read_write)
#define VOLATILE(each) SIZES(each, volatile_read) SIZES(each, volatile_write)
#define BOTH(each) SIZES(each, unaligned_volatile_read) SIZES(each, unaligned_volatile_write)
#define ALL(each) ALIGNED(each) PACKED(each) VOLATILE(each) BOTH(each)

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
