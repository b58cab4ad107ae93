/* SPDX-License-Identifier: MIT */
/**
 * \file
 * Annotations: a program tells Deja of its data and of each access to it, as
 * the source has them (C89, C++ and, through the module deja_record, Fortran).
 * The header stands alone: nothing has to be linked, and while Deja does not
 * watch, each call is a test of one variable.
 *
 *     double a[100];
 *     dj_record_data(a, sizeof a, sizeof a[0], "a");
 *     a[i] = a[i - 1] + 1;
 *     dj_record_read(a, &a[i - 1]);
 *     dj_record_write(a, &a[i]);
 *
 * Then `deja run ./program`, or DEJA_RECORD=profile.json ./program.
 *
 * Define DEJA_RECORD_OFF before the header, and no code is left.
 */
#ifndef DEJA_RECORD_H
#define DEJA_RECORD_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dj_record_kind { DJ_RECORD_READ = 0, DJ_RECORD_WRITE = 1, DJ_RECORD_MODIFY = 2 };

/** What the library that watches offers; see dj_record_attach. */
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

#ifndef DEJA_RECORD_OFF

/* In a program built by `deja cc` the library is there from the beginning. */
extern const dj_record_calls dj_recorder __attribute__((weak));

static const dj_record_calls *dj_record_watching;

/* Before the constructors of the program. The note tells `deja run` what kind of program it is. */
__attribute__((constructor(101), unused)) static void dj_record_attach(void)
{
    const char *path;
    void *library;
    __asm__(".pushsection .note.deja.record, \"a\", @note\n"
            ".balign 4\n.long 5, 0, 2\n.asciz \"Deja\"\n.balign 4\n"
            ".popsection");
    if (&dj_recorder) {
        dj_record_watching = &dj_recorder;
        return;
    }
    path = getenv("DEJA_RECORDER");
    library = path && *path ? dlopen(path, RTLD_NOW) : NULL;
    if (library)
        dj_record_watching = (const dj_record_calls *)dlsym(library, "dj_recorder");
    if (dj_record_watching && dj_record_watching->version != DJ_RECORD_CALLS_VERSION)
        dj_record_watching = NULL;
}

#define DJ_RECORD_CALL(call)                                                                                 \
    do {                                                                                                     \
        if (__builtin_expect(dj_record_watching != NULL, 0))                                                 \
            dj_record_watching->call;                                                                        \
    } while (0)
#else
#define DJ_RECORD_CALL(call)                                                                                 \
    do {                                                                                                     \
    } while (0)
#endif

/**
 * There is data at `base`: `bytes` in all, in elements of `element_bytes`.
 * Recorded again at the same base it is new data. `name` is copied.
 */
__attribute__((unused)) static inline void dj_record_data(const void *base, size_t bytes,
                                                          size_t element_bytes, const char *name)
{
    DJ_RECORD_CALL(data(base, bytes, element_bytes, name));
}

/** `entry`, an address within the data recorded at `base`, may be used as a base too. */
__attribute__((unused)) static inline void dj_record_partial(const void *base, const void *entry)
{
    DJ_RECORD_CALL(partial(base, entry));
}

/** The data at `base` is gone: its memory may be used for something else. */
__attribute__((unused)) static inline void dj_record_forget(const void *base)
{
    DJ_RECORD_CALL(forget(base));
}

/** An access to the element at address `element` of the data recorded at `base`. */
__attribute__((unused)) static inline void dj_record_access(const void *base, const void *element)
{
    DJ_RECORD_CALL(access(base, element, DJ_RECORD_READ));
}

__attribute__((unused)) static inline void dj_record_read(const void *base, const void *element)
{
    DJ_RECORD_CALL(access(base, element, DJ_RECORD_READ));
}

__attribute__((unused)) static inline void dj_record_write(const void *base, const void *element)
{
    DJ_RECORD_CALL(access(base, element, DJ_RECORD_WRITE));
}

/**
 * An instance of a statement begins: until the next one, accesses to one
 * element count once (read and written: as both).
 */
__attribute__((unused)) static inline void dj_record_statement(void)
{
    DJ_RECORD_CALL(statement());
}

/** A part of the run that `deja run --within NAME` and reports can tell apart. May nest. */
__attribute__((unused)) static inline void dj_region_begin(const char *name)
{
    DJ_RECORD_CALL(region(name, 1));
}

__attribute__((unused)) static inline void dj_region_end(const char *name)
{
    DJ_RECORD_CALL(region(name, 0));
}

/** The name of the calling thread in reports. */
__attribute__((unused)) static inline void dj_thread_name(const char *name)
{
    DJ_RECORD_CALL(thread_name(name));
}

#ifdef __cplusplus
}
#endif
#endif
