// SPDX-License-Identifier: MIT
// The shadow stack of a thread: a frame for each call that has not returned. It follows the program by the
// stack pointer alone, so frames left behind by a longjmp, an exception or a missed return disappear
// without special handling.
#ifndef DEJA_LOCATE_THREAD_H
#define DEJA_LOCATE_THREAD_H

#include <deja/error.h>

typedef struct dj_shadow_frame {
    uint64_t sp;       // after the call: address of the return address; UINT64_MAX at the bottom
    uint32_t cct_node; // of the function, or of the caller while `entered` is false
    uint32_t function; // 0: unknown
    uint32_t called;   // the function that was called; others were jumped to, or their calls are not reported
    uint32_t called_node; // of that function; of the caller while `entered` is false
    uint32_t call_site;   // DJ_NOWHERE: none
    uint32_t serial;      // changes when the record is reused for another frame
    bool entered;         // the function has been seen running; before, stubs may lead to it
} dj_shadow_frame;

enum { DJ_FRAMES_CHUNK = 32 }; // a program may start very many threads

typedef struct dj_thread {
    uint64_t id;
    uint32_t root;               // its first context
    uint64_t stack_lo, stack_hi; // 0, 0: unknown
    dj_shadow_frame **chunks;    // the frames themselves never move
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
// Removes frames whose return addresses are below `sp`.
void dj_thread_return(dj_thread *thread, uint64_t sp);
// Removes frames until one of `function` is on top; does nothing if there is none near the top. The
// function for which the top frame was created takes it back.
bool dj_thread_unwind(dj_thread *thread, uint32_t function);
// The frame that contains an address of the stack: the innermost one above it.
dj_shadow_frame *dj_thread_frame_at(const dj_thread *thread, uint64_t address, size_t *index);
dj_shadow_frame *dj_thread_frame(const dj_thread *thread, size_t index);

// The canonical frame address: the stack pointer before the call.
static inline uint64_t dj_frame_cfa(const dj_shadow_frame *frame)
{
    return frame->sp + sizeof(uint64_t);
}

#endif
