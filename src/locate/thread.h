// SPDX-License-Identifier: MIT
// The shadow stack of a thread: a frame for each call that has not returned,
// kept in step with the program by its stack pointer alone, so that what a
// longjmp, an exception or a missed return left behind goes away by itself.
#ifndef DEJA_LOCATE_THREAD_H
#define DEJA_LOCATE_THREAD_H

#include <deja/error.h>

typedef struct dj_shadow_frame {
    uint64_t sp;           // after the call: where the return address lies; UINT64_MAX at the bottom
    uint32_t cct_node;     // of the function, or of the caller while `entered` is false
    uint32_t function;     // 0: not known
    uint32_t home;         // the function that was called; others were jumped to, or belong to
                           // libraries whose calls are not told
    uint32_t home_context; // of that function; of the caller while `entered` is false
    uint32_t call_site;    // DJ_NOWHERE: none
    uint32_t serial;       // differs between frames that share this record in turn
    bool entered;          // the function has been seen at work; before, stubs may be on the way to it
} dj_shadow_frame;

enum { DJ_FRAMES_CHUNK = 32 }; // a program may start very many threads

typedef struct dj_thread {
    uint64_t id;
    uint32_t root;               // context that it begins in
    uint64_t stack_lo, stack_hi; // 0, 0: unknown
    dj_shadow_frame **chunks;    // the frames themselves are never moved
    size_t chunk_count, chunk_capacity;
    size_t depth; // frames in use, at least 1
    dj_shadow_frame *top;
    uint32_t left_site; // call site of the frame that was left last
    uint32_t serial;
} dj_thread;

// A stack with its bottom frame, which belongs to no call.
int dj_thread_create(dj_thread *thread, dj_context *context, uint64_t id, uint32_t root);
void dj_thread_destroy(dj_thread *thread);

int dj_thread_call(dj_thread *thread, dj_context *context, uint32_t call_site, uint64_t sp);
// Leaves frames whose return addresses lie below `sp`.
void dj_thread_return(dj_thread *thread, uint64_t sp);
// Leaves frames until one of `function` is on top; does nothing when there is
// none near the top. The function that the frame on top was made for takes it back.
bool dj_thread_unwind(dj_thread *thread, uint32_t function);
// The frame that holds an address of the stack: the innermost one that lies above it.
dj_shadow_frame *dj_thread_frame_at(const dj_thread *thread, uint64_t address, size_t *index);
dj_shadow_frame *dj_thread_frame(const dj_thread *thread, size_t index);

// The canonical frame address: the stack pointer before the call.
static inline uint64_t dj_frame_cfa(const dj_shadow_frame *frame)
{
    return frame->sp + sizeof(uint64_t);
}

#endif
