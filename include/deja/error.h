// SPDX-License-Identifier: MIT
/// \file
/// Errors. Every function that can fail returns 0 or a negative `enum dj_err`, and leaves a message for the
/// user in its context. The library never prints, exits or aborts.
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
    DJ_ERR_USAGE = -1,       ///< the caller asked for something impossible (exit 2)
    DJ_ERR_INPUT = -2,       ///< a trace or profile is malformed (exit 3)
    DJ_ERR_IO = -3,          ///< the system refused to read or write (exit 4)
    DJ_ERR_MEMORY = -4,      ///< out of memory or another limited resource (exit 4)
    DJ_ERR_UNSUPPORTED = -5, ///< this build or machine cannot do it (exit 2)
    DJ_ERR_STOPPED = -6,     ///< the caller asked to stop; everything done so far is valid
    DJ_ERR_DEVICE = -7,      ///< a required device is missing or failed (exit 4)
};

/// Holds the message of the last error, the first warning and the stop flag. Only one thread may use a
/// context at a time, except for dj_context_stop.
typedef struct dj_context dj_context;

DJ_API int dj_context_create(dj_context **out);
DJ_API void dj_context_destroy(dj_context *context);

/// The message of the last error, never NULL; valid until the next error.
DJ_API const char *dj_context_message(const dj_context *context);

/// Records a message and returns `err`, for use as `return dj_fail(...)`. The message says what failed,
/// where, why, and what to do. It is one line: control characters, also in names that it quotes, become '?'.
DJ_API int dj_fail(dj_context *context, enum dj_err err, const char *format, ...) DJ_PRINTF(3, 4);

/// Prepends "prefix: " to the message of an error that is being propagated.
DJ_API int dj_fail_within(dj_context *context, int err, const char *format, ...) DJ_PRINTF(3, 4);

/// Reports that memory ran out, with the same wording everywhere. `bytes` may be 0 if unknown.
DJ_API int dj_fail_memory(dj_context *context, const char *what, uint64_t bytes);

#ifdef __clang_analyzer__
// The analyzer checks one file at a time and must know that a failure is not 0.
#define dj_fail(context, err, ...) (dj_fail((context), (err), __VA_ARGS__), (int)(err))
#define dj_fail_memory(context, what, bytes) (dj_fail_memory((context), (what), (bytes)), (int)DJ_ERR_MEMORY)
#endif

/// Warns that something was done differently than requested; the result is still correct. Only the first
/// warning is kept.
DJ_API void dj_warn(dj_context *context, const char *format, ...) DJ_PRINTF(2, 3);
/// The warning; "" if there is none.
DJ_API const char *dj_context_warning(const dj_context *context);

/// Asks the pipeline to end early with a valid, partial result. Safe in a signal handler and from any thread.
DJ_API void dj_context_stop(dj_context *context);
DJ_API bool dj_context_stopped(const dj_context *context);

#ifdef __cplusplus
}
#endif
#endif
