// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "facts.h"

#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const void *fact_asked_from;

static void tell(const char *format, va_list args)
{
    vprintf(format, args);
    putchar('\n');
}

static int first_module(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    uintptr_t lowest = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_vaddr < lowest)
            lowest = info->dlpi_phdr[i].p_vaddr;
    *(uintptr_t *)user = info->dlpi_addr + (lowest & ~(uintptr_t)4095);
    return 1;
}

void fact_module(void)
{
    char path[PATH_MAX];
    uintptr_t load = 0;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        exit(1);
    path[length] = 0;
    dl_iterate_phdr(first_module, &load);
    printf("module\t%s\t%lx\n", path, (unsigned long)load);
}

void fact_global(const volatile void *address, size_t bytes, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("global\t%lx\t%zu\t%s\t", (unsigned long)address, bytes, name);
    tell(format, args);
    va_end(args);
}

void fact_whole(const volatile void *address, size_t bytes, const char *name, const char *type)
{
    printf("whole\t%lx\t%zu\t%s\t%s\n", (unsigned long)address, bytes, name, type);
}

void fact_nothing(const volatile void *address)
{
    printf("nothing\t%lx\n", (unsigned long)address);
}

void fact_local(const void *cfa, const volatile void *address, size_t bytes, const char *name,
                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("local\t%lx\t%lx\t%lx\t%zu\t%s\t", (unsigned long)__builtin_return_address(0), (unsigned long)cfa,
           (unsigned long)address, bytes, name);
    tell(format, args);
    va_end(args);
}

void fact_no_local(const void *cfa, const volatile void *address)
{
    printf("nolocal\t%lx\t%lx\t%lx\n", (unsigned long)__builtin_return_address(0), (unsigned long)cfa,
           (unsigned long)address);
}

void fact_pointer(const void *pc, size_t offset, size_t bytes, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("pointer\t%lx\t%zu\t%zu\t%s\t", (unsigned long)pc, offset, bytes, name);
    tell(format, args);
    va_end(args);
}

void fact_no_pointer(const void *pc)
{
    printf("nopointer\t%lx\n", (unsigned long)pc);
}

void *fact_allocate(size_t bytes)
{
    fact_asked_from = __builtin_return_address(0);
    return calloc(1, bytes);
}

// --- for Fortran: names and elements have hidden lengths ----------------------

void fact_module_(void);
void fact_global_(const void *address, const int *bytes, const char *name, const char *element,
                  size_t name_length, size_t element_length);
void fact_text_(const void *address, const int *bytes, const char *name, const char *element,
                size_t address_length, size_t name_length, size_t element_length);
void fact_whole_(const void *address, const int *bytes, const char *name, const char *type,
                 size_t name_length, size_t type_length);
void fact_asked_(const int *offset, const int *bytes, const char *name, const char *element,
                 size_t name_length, size_t element_length);
void *__real_malloc(size_t bytes) __attribute__((weak));
void *__wrap_malloc(size_t bytes);

static const char *text(const char *start, size_t length, char *copy)
{
    memcpy(copy, start, length);
    while (length > 0 && copy[length - 1] == ' ')
        length--;
    copy[length] = 0;
    return copy;
}

void fact_module_(void)
{
    fact_module();
    fflush(stdout);
}

void fact_global_(const void *address, const int *bytes, const char *name, const char *element,
                  size_t name_length, size_t element_length)
{
    char a[256], b[256];
    fact_global(address, (size_t)*bytes, text(name, name_length, a), "%s", text(element, element_length, b));
}

void fact_text_(const void *address, const int *bytes, const char *name, const char *element,
                size_t address_length, size_t name_length, size_t element_length)
{
    (void)address_length;
    fact_global_(address, bytes, name, element, name_length, element_length);
}

void fact_whole_(const void *address, const int *bytes, const char *name, const char *type,
                 size_t name_length, size_t type_length)
{
    char a[256], b[256];
    fact_whole(address, (size_t)*bytes, text(name, name_length, a), text(type, type_length, b));
}

void fact_asked_(const int *offset, const int *bytes, const char *name, const char *element,
                 size_t name_length, size_t element_length)
{
    char a[256], b[256];
    fact_pointer(fact_asked_from, (size_t)*offset, (size_t)*bytes, text(name, name_length, a), "%s",
                 text(element, element_length, b));
}

void *__wrap_malloc(size_t bytes)
{
    fact_asked_from = __builtin_return_address(0);
    return __real_malloc(bytes);
}
