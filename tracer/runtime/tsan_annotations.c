// SPDX-License-Identifier: MIT
// Functions by which programs inform ThreadSanitizer about their locks and fibers
// (sanitizer/tsan_interface.h, dynamic annotations). Those that say that one thread waits for another are
// recorded. The others have no effect here. Their arguments are ignored, so one form serves all.
#include "runtime.h"

#define NOTHING(name)                                                                                        \
    DJ_RT_EXPORT void name(void);                                                                            \
    void name(void)                                                                                          \
    {                                                                                                        \
    }
#define VALUE(type, name, value)                                                                             \
    DJ_RT_EXPORT type name(void);                                                                            \
    type name(void)                                                                                          \
    {                                                                                                        \
        return value;                                                                                        \
    }

#define ORDER(name, parameters, action)                                                                      \
    DJ_RT_EXPORT void name parameters;                                                                       \
    void name parameters                                                                                     \
    {                                                                                                        \
        action(object);                                                                                      \
    }
#define AT_LINE                                                                                              \
    (const char *file __attribute__((unused)), int line __attribute__((unused)), const void *object)

ORDER(__tsan_acquire, (void *object), dj_rt_acquire)
ORDER(__tsan_release, (void *object), dj_rt_release)
ORDER(AnnotateHappensBefore, AT_LINE, dj_rt_release)
ORDER(AnnotateHappensAfter, AT_LINE, dj_rt_acquire)
ORDER(WTFAnnotateHappensBefore, AT_LINE, dj_rt_release)
ORDER(WTFAnnotateHappensAfter, AT_LINE, dj_rt_acquire)

NOTHING(__tsan_mutex_create)
NOTHING(__tsan_mutex_destroy)
NOTHING(__tsan_mutex_pre_lock)
NOTHING(__tsan_mutex_post_lock)
VALUE(int, __tsan_mutex_pre_unlock, 0)
NOTHING(__tsan_mutex_post_unlock)
NOTHING(__tsan_mutex_pre_signal)
NOTHING(__tsan_mutex_post_signal)
NOTHING(__tsan_mutex_pre_divert)
NOTHING(__tsan_mutex_post_divert)
NOTHING(__tsan_ignore_thread_begin)
NOTHING(__tsan_ignore_thread_end)
NOTHING(__tsan_flush_memory)
NOTHING(__tsan_switch_to_fiber)
NOTHING(__tsan_destroy_fiber)
NOTHING(__tsan_set_fiber_name)
NOTHING(__tsan_external_register_header)
NOTHING(__tsan_external_assign_tag)
NOTHING(__tsan_external_read)
NOTHING(__tsan_external_write)

static char something; // a fiber or a tag must not be NULL
VALUE(void *, __tsan_get_current_fiber, &something)
VALUE(void *, __tsan_create_fiber, &something)
VALUE(void *, __tsan_external_register_tag, &something)

NOTHING(AnnotateCondVarSignal)
NOTHING(AnnotateCondVarSignalAll)
NOTHING(AnnotateMutexIsNotPHB)
NOTHING(AnnotateMutexIsUsedAsCondVar)
NOTHING(AnnotateCondVarWait)
NOTHING(AnnotateRWLockCreate)
NOTHING(AnnotateRWLockCreateStatic)
NOTHING(AnnotateRWLockDestroy)
NOTHING(AnnotateRWLockAcquired)
NOTHING(AnnotateRWLockReleased)
NOTHING(AnnotateTraceMemory)
NOTHING(AnnotateFlushState)
NOTHING(AnnotateNewMemory)
NOTHING(AnnotateNoOp)
NOTHING(AnnotateFlushExpectedRaces)
NOTHING(AnnotateEnableRaceDetection)
NOTHING(AnnotatePCQGet)
NOTHING(AnnotatePCQPut)
NOTHING(AnnotatePCQDestroy)
NOTHING(AnnotatePCQCreate)
NOTHING(AnnotateExpectRace)
NOTHING(AnnotateBenignRace)
NOTHING(AnnotateBenignRaceSized)
NOTHING(AnnotateIgnoreReadsBegin)
NOTHING(AnnotateIgnoreReadsEnd)
NOTHING(AnnotateIgnoreWritesBegin)
NOTHING(AnnotateIgnoreWritesEnd)
NOTHING(AnnotateIgnoreSyncBegin)
NOTHING(AnnotateIgnoreSyncEnd)
NOTHING(AnnotatePublishMemoryRange)
NOTHING(AnnotateUnpublishMemoryRange)
NOTHING(AnnotateThreadName)
NOTHING(AnnotateMemoryIsInitialized)
NOTHING(AnnotateMemoryIsUninitialized)
NOTHING(WTFAnnotateBenignRaceSized)
