// SPDX-License-Identifier: MIT
// The programs print these facts about their own variables, one per line, fields
// separated by tabs. The test compares them with what the symbols say.
//   module  path  load address
//   global  address  bytes  name  element     these bytes of that variable are called so
//   whole   address  bytes  name  type        a variable from its first to its last byte
//   nothing address                           no variable is here
//   nolocal pc  cfa  address
//   nopointer pc                              the function there passes the block on
//   local   pc  cfa  address  bytes  name  element
//   pointer pc  offset  bytes  name  element  in the block that the call before pc gave
#ifndef FACTS_H
#define FACTS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void fact_module(void);
void fact_global(const volatile void *address, size_t bytes, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void fact_whole(const volatile void *address, size_t bytes, const char *name, const char *type);
void fact_nothing(const volatile void *address);
// Records the address after its call as the pc.
void fact_local(const void *cfa, const volatile void *address, size_t bytes, const char *name,
                const char *format, ...) __attribute__((format(printf, 5, 6), noinline));
void fact_no_local(const void *cfa, const volatile void *address) __attribute__((noinline));
void fact_pointer(const void *pc, size_t offset, size_t bytes, const char *name, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void fact_no_pointer(const void *pc);

// Memory, and where it was last allocated.
extern const void *fact_asked_from;
void *fact_allocate(size_t bytes) __attribute__((noinline, malloc));

// An element as the source has it: FACT(grid, [2][3]).
#define FACT(variable, element)                                                                              \
    fact_global(&variable element, sizeof(variable element), #variable, "%s", #element)
#define FACT_WHOLE(variable, type) fact_whole(&variable, sizeof variable, #variable, type)
#define FACT_LOCAL(variable, element)                                                                        \
    fact_local(__builtin_dwarf_cfa(), &variable element, sizeof(variable element), #variable, "%s", #element)

#ifdef __cplusplus
}
#endif
#endif
