/* SPDX-License-Identifier: MIT */
/**
 * \file
 * Annotations: a program reports its data and each access to it at source level
 * (C89, C++ and, through the module deja_record, Fortran). The header is
 * self-contained: nothing has to be linked, and while Deja is not recording,
 * each call tests one variable.
 *
 *     double a[100];
 *     dj_record_data(a, sizeof a, sizeof a[0], "a");
 *     a[i] = a[i - 1] + 1;
 *     dj_record_read(a, &a[i - 1]);
 *     dj_record_write(a, &a[i]);
 *
 * Then `deja run ./program`; docs/annotations.md has more.
 *
 * Define DEJA_RECORD_OFF before including the header to remove all code.
 *
 * The calls are macros, so that each call is attributed to a source line of the program. They can be used
 * wherever a call of a void function can. They evaluate each argument once, whether Deja is recording or not
 * (never with DEJA_RECORD_OFF).
 */
#ifndef DEJA_RECORD_H
#define DEJA_RECORD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dj_record_kind { DJ_RECORD_READ = 0, DJ_RECORD_WRITE = 1, DJ_RECORD_MODIFY = 2 };

/** The functions of the recording library, exported as dj_recorder. NULL: it ignores that kind of call. */
typedef struct dj_record_calls {
    unsigned version; /**< DJ_RECORD_CALLS_VERSION */
    void (*data)(const void *base, size_t bytes, size_t element_bytes, const char *name);
    void (*partial)(const void *base, const void *entry);
    void (*access)(const void *base, const void *element, int kind);
    void (*forget)(const void *base);
    void (*statement)(void);
    void (*region)(const char *name, int begins);
    void (*thread_name)(const char *name);
} dj_record_calls;

enum { DJ_RECORD_CALLS_VERSION = 1 };

/**
 * dj_record_data(base, bytes, element_bytes, name): declares data at `base`, `bytes` in total, in elements of
 * `element_bytes`. Declaring the same base again declares new data. `name` is copied.
 */
#define dj_record_data(base, bytes, element_bytes, name)                                                     \
    DJ_RECORD_4(const volatile void *, base, size_t, bytes, size_t, element_bytes, const char *, name, data, \
                ((const void *)dj_1, dj_2, dj_3, dj_4))

/** dj_record_partial(base, entry): `entry`, an address within that data, may also be used as a base. */
#define dj_record_partial(base, entry)                                                                       \
    DJ_RECORD_2(const volatile void *, base, const volatile void *, entry, partial,                          \
                ((const void *)dj_1, (const void *)dj_2))

/** dj_record_forget(base): the data at `base` is no longer valid; its memory may be reused. */
#define dj_record_forget(base) DJ_RECORD_1(const volatile void *, base, forget, ((const void *)dj_1))

/** dj_record_access(base, element): an access to the element at address `element` of the data at `base`. */
#define dj_record_access(base, element) dj_record_read(base, element)
#define dj_record_read(base, element) DJ_RECORD_ACCESS(base, element, DJ_RECORD_READ)
#define dj_record_write(base, element) DJ_RECORD_ACCESS(base, element, DJ_RECORD_WRITE)
/** A read and a write, as one access. */
#define dj_record_modify(base, element) DJ_RECORD_ACCESS(base, element, DJ_RECORD_MODIFY)
#define DJ_RECORD_ACCESS(base, element, kind)                                                                \
    DJ_RECORD_2(const volatile void *, base, const volatile void *, element, access,                         \
                ((const void *)dj_1, (const void *)dj_2, kind))

/**
 * dj_record_statement(): begins an instance of a statement. With `deja run --statements`, accesses of this
 * thread to one element count once until the next instance begins (a read and a write count as both).
 */
#define dj_record_statement() DJ_RECORD_0(statement, ())

/** Delimits a part of the run that `deja run --within NAME` and reports distinguish. Regions may nest. */
#define dj_region_begin(name) DJ_RECORD_1(const char *, name, region, (dj_1, 1))
#define dj_region_end(name) DJ_RECORD_1(const char *, name, region, (dj_1, 0))

/** dj_thread_name(name): names the calling thread in reports. */
#define dj_thread_name(name) DJ_RECORD_1(const char *, name, thread_name, (dj_1))

#ifndef DEJA_RECORD_OFF

/* In a program built by `deja cc` the library is always present. Other programs load the library that
 * DEJA_RECORDER names. dlopen is looked up by name, so nothing has to be linked; a static program, which has
 * no dlopen, records nothing. */
extern const dj_record_calls dj_recorder __attribute__((weak));
extern void *dj_record_find(void *library, const char *name) __asm__("dlsym") __attribute__((weak));
/* A setuid or setgid program must not load a library that its caller names. */
extern char *dj_record_environment(const char *name) __asm__("secure_getenv") __attribute__((weak));

/* Reads in these functions are not accesses of the program; `deja cc` must not count them. */
#define DJ_RECORD_UNCOUNTED __attribute__((no_sanitize_thread, unused))

static const dj_record_calls *dj_record_watching __attribute__((unused));

DJ_RECORD_UNCOUNTED static const dj_record_calls *dj_record_load(void)
{
    const char *path = dj_record_environment ? dj_record_environment("DEJA_RECORDER") : NULL;
    union {
        void *object;
        void *(*function)(const char *path, int mode);
    } open;
    void *library;
    if (!path || !*path || !dj_record_find)
        return NULL;
    open.object = dj_record_find(NULL, "dlopen");
    library = open.object ? open.function(path, 2 /* RTLD_NOW */) : NULL;
    return library ? (const dj_record_calls *)dj_record_find(library, "dj_recorder") : NULL;
}

/* Marks the object file for `deja run`: type 2 if it records data, type 3 if it makes any of the calls.
 * Emitted once per object file. */
#define DJ_RECORD_NOTE(type)                                                                                 \
    __asm__ volatile(".ifndef .Ldeja_note_" #type "\n"                                                       \
                     ".pushsection .note.deja.record, \"a\", %note\n"                                        \
                     ".balign 4\n"                                                                           \
                     ".Ldeja_note_" #type ":\n"                                                              \
                     ".long 5, 0, " #type "\n"                                                               \
                     ".asciz \"Deja\"\n"                                                                     \
                     ".balign 4\n"                                                                           \
                     ".popsection\n"                                                                         \
                     ".endif")

/* Runs before the constructors of the program. */
__attribute__((constructor(101))) DJ_RECORD_UNCOUNTED static void dj_record_attach(void)
{
    const dj_record_calls *found = &dj_recorder ? &dj_recorder : dj_record_load();
    dj_record_watching = found && found->version == DJ_RECORD_CALLS_VERSION ? found : NULL;
    DJ_RECORD_NOTE(3);
}

/* Returns the function to call, or NULL. */
#define DJ_RECORD_GETTER(member)                                                                             \
    DJ_RECORD_UNCOUNTED static __typeof__(((dj_record_calls *)0)->member) dj_record_get_##member(void)       \
    {                                                                                                        \
        return __builtin_expect(dj_record_watching != NULL, 0) ? dj_record_watching->member : NULL;          \
    }
DJ_RECORD_GETTER(data)
DJ_RECORD_GETTER(partial)
DJ_RECORD_GETTER(access)
DJ_RECORD_GETTER(forget)
DJ_RECORD_GETTER(statement)
DJ_RECORD_GETTER(region)
DJ_RECORD_GETTER(thread_name)

#define DJ_RECORD_CALL(member, arguments)                                                                    \
    {                                                                                                        \
        __typeof__(((dj_record_calls *)0)->member) dj_call = dj_record_get_##member();                       \
        if (__builtin_expect(dj_call != NULL, 0))                                                            \
            dj_call arguments;                                                                               \
    }
#define DJ_RECORD_0(member, arguments) __extension__({DJ_RECORD_CALL(member, arguments)})
#define DJ_RECORD_1(type1, value1, member, arguments)                                                        \
    __extension__({                                                                                          \
        type1 dj_1 = (value1);                                                                               \
        DJ_RECORD_CALL(member, arguments)                                                                    \
        (void)dj_1;                                                                                          \
    })
#define DJ_RECORD_2(type1, value1, type2, value2, member, arguments)                                         \
    __extension__({                                                                                          \
        type1 dj_1 = (value1);                                                                               \
        type2 dj_2 = (value2);                                                                               \
        DJ_RECORD_CALL(member, arguments)                                                                    \
    })
#define DJ_RECORD_4(type1, value1, type2, value2, type3, value3, type4, value4, member, arguments)           \
    __extension__({                                                                                          \
        type1 dj_1 = (value1);                                                                               \
        type2 dj_2 = (value2);                                                                               \
        type3 dj_3 = (value3);                                                                               \
        type4 dj_4 = (value4);                                                                               \
        DJ_RECORD_NOTE(2);                                                                                   \
        DJ_RECORD_CALL(member, arguments)                                                                    \
    })

#else
#define DJ_RECORD_UNUSED(values)                                                                             \
    __extension__({                                                                                          \
        if (0)                                                                                               \
            values;                                                                                          \
    })
#define DJ_RECORD_0(member, arguments) DJ_RECORD_UNUSED((void)0)
#define DJ_RECORD_1(type1, value1, member, arguments) DJ_RECORD_UNUSED((void)(value1))
#define DJ_RECORD_2(type1, value1, type2, value2, member, arguments)                                         \
    DJ_RECORD_UNUSED(((void)(value1), (void)(value2)))
#define DJ_RECORD_4(type1, value1, type2, value2, type3, value3, type4, value4, member, arguments)           \
    DJ_RECORD_UNUSED(((void)(value1), (void)(value2), (void)(value3), (void)(value4)))
#endif

#ifdef __cplusplus
}
#endif
#endif
