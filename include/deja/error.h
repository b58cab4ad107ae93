// SPDX-License-Identifier: MIT
/// \file
/// Errors. Every function that can fail returns 0 or a negative `enum dj_err`
/// and leaves a sentence for the user in the context it was given. The library
/// never prints, exits or aborts.
#ifndef DEJA_ERROR_H
#define DEJA_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DJ_API __attribute__((visibility("default")))
#define DJ_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define DJ_API
#define DJ_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum dj_err {
    DJ_OK = 0,
    DJ_ERR_USAGE = -1,       ///< the caller asked for something that cannot be (exit 2)
    DJ_ERR_INPUT = -2,       ///< a trace or profile is not what it should be (exit 3)
    DJ_ERR_IO = -3,          ///< the system refused to read or write (exit 4)
    DJ_ERR_MEMORY = -4,      ///< out of memory or of another bounded resource (exit 4)
    DJ_ERR_UNSUPPORTED = -5, ///< this build or machine cannot do it (exit 2)
    DJ_ERR_STOPPED = -6,     ///< the caller asked to stop; what was done so far is valid
    DJ_ERR_DEVICE = -7,      ///< a device that it takes is not there or failed (exit 4)
};

/// Carries the message of the last error and the request to stop. One thread
/// uses a context at a time, except for dj_context_stop.
typedef struct dj_context dj_context;

DJ_API int dj_context_create(dj_context **out);
DJ_API void dj_context_destroy(dj_context *context);

/// The sentence that belongs to the last error, never NULL; valid until the next one.
DJ_API const char *dj_context_message(const dj_context *context);

/// Records a message and returns `err`, so that `return dj_fail(...)` reads well.
/// The message says what, where, why and what to do; no final newline.
DJ_API int dj_fail(dj_context *context, enum dj_err err, const char *format, ...) DJ_PRINTF(3, 4);

/// Puts "prefix: " before the message of an error that is on its way up.
DJ_API int dj_fail_within(dj_context *context, int err, const char *format, ...) DJ_PRINTF(3, 4);

/// Out of memory, said the same way everywhere. `bytes` may be 0 when unknown.
DJ_API int dj_fail_memory(dj_context *context, const char *what, uint64_t bytes);

#ifdef __clang_analyzer__
// The analyzer sees one file at a time; tell it that a failure is not 0.
#define dj_fail(context, err, ...) (dj_fail((context), (err), __VA_ARGS__), (int)(err))
#define dj_fail_memory(context, what, bytes) (dj_fail_memory((context), (what), (bytes)), (int)DJ_ERR_MEMORY)
#endif

/// Something went another way than was asked for, and the result is right all the same: a sentence for the
/// user. The first one is kept.
DJ_API void dj_warn(dj_context *context, const char *format, ...) DJ_PRINTF(2, 3);
/// That sentence; "" when there is none.
DJ_API const char *dj_context_warning(const dj_context *context);

/// Asks the pipeline to end early with a valid, partial result. Safe in a
/// signal handler and from any thread.
DJ_API void dj_context_stop(dj_context *context);
DJ_API bool dj_context_stopped(const dj_context *context);

#ifdef __cplusplus
}
#endif
#endif
