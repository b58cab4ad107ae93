// SPDX-License-Identifier: MIT
// Shared by the files of the tracer.
#ifndef DEJA_TRACER_TOOL_H
#define DEJA_TRACER_TOOL_H

#include "core.h"
#include "tracer/ring.h"

typedef struct dj_settings {
    const HChar *folder; // where rings are created; NULL: nothing is traced
    Long frames;
    Long analyzer; // process that will read; 0: it announces itself
    Long serial;   // number of the next ring of this process
    Long rate;     // part of the run that is traced, in millionths
    Long seed;     // of the positions of bursts
    Long budget;   // thousandths of the time without bursts; 0: none. Then `rate` is the most
} dj_settings;

enum { DJ_RATE_ALL = 1000000 };

extern dj_settings dj_set;

// ring.c: the memory shared with the analyzer. All addresses in it stay the same for the lifetime of the
// process and of its forked children.
enum {
    DJ_RING_SLACK = 1024,        // words free in a frame whenever a block begins
    DJ_RING_SPACE_BITS = 0xe000, // of the cursor: all 0 if fewer are free
};

Bool dj_ring_create(void);       // at start
void dj_ring_create_again(void); // in a forked child, at the same address
void dj_ring_flush(void);        // called by translated code when the slack is reached
void dj_ring_finish(enum dj_ring_state state);
void dj_ring_resume(void);          // an exec has failed
Bool dj_ring_live(void);            // somebody reads
void dj_ring_set_gap(ULong length); // so far; only while somebody reads
ULong dj_ring_waited(void);         // for the analyzer, ns
uint64_t *dj_ring_cursor(void);

// Writes a complete record. Text follows the words.
void dj_ring_put(enum dj_record_type type, uint32_t id, const uint64_t *words, UInt count);
void dj_ring_put_text(enum dj_record_type type, uint32_t id, const uint64_t *words, UInt count,
                      const HChar *text);

// enum dj_kind of batch.h, which needs a C library
enum { DJ_TRACED_READ = 0, DJ_TRACED_WRITE = 1, DJ_TRACED_MODIFY = 2 };

// other_process.c
Bool dj_process_has_ended(uint32_t pid);

// descriptor.c: descriptors of segments, each sent when its block is translated and again after a fork.
enum { DJ_SEGMENT_MOST = 448 }; // accesses

typedef struct dj_descriptor {
    uint32_t id;
    UInt count;
    uint64_t words[3 + 2 * DJ_SEGMENT_MOST]; // as in DJ_RECORD_DEFINE
} dj_descriptor;

void dj_descriptor_begin(dj_descriptor *segment, Addr pc);
// Where its last instruction is, and where that ends.
void dj_descriptor_span(dj_descriptor *segment, Addr last, Addr after);
void dj_descriptor_add(dj_descriptor *segment, Addr pc, UInt size, UInt kind, UInt flags);
void dj_descriptor_refer(dj_descriptor *segment, UInt word,
                         Int delta);               // the last access is DJ_ACCESS_RELATIVE
void dj_descriptor_modify(dj_descriptor *segment); // the last access, a read, also writes
void dj_descriptor_define(dj_descriptor *segment, enum dj_segment_ending ending, uint64_t target);
void dj_descriptors_send_again(void);

// bursts.c: which parts of the run are traced.
Bool dj_bursts_used(void);    // not all of it
Bool dj_bursts_tracing(void); // code that is translated now
UInt dj_bursts_number(void);  // of the burst, or of the last one
void dj_bursts_begin(void);
void dj_bursts_begin_child(void);
void dj_bursts_translate(void);                   // a block is translated
void dj_bursts_meet(VexGuestAMD64State *guest);   // of the running thread
void dj_bursts_start(ThreadId tid, ULong blocks); // when a thread starts running
void dj_bursts_step(ThreadId tid, ULong blocks);  // when it stops
void dj_bursts_end(void);

// budget.c: chooses the rate of bursts.
Bool dj_budget_used(void);
void dj_budget_begin(void);
void dj_budget_begin_child(ULong blocks);
// At the planned end of the first burst, and of the gap after it: how many blocks more are needed to measure;
// 0: enough.
ULong dj_budget_extend_burst(ULong blocks, ULong translated);
ULong dj_budget_extend_gap(ULong blocks, ULong translated);
// The gap, which began at block `since`, was long enough: sets the rate.
void dj_budget_choose(ULong since, ULong blocks);
ULong dj_budget_least_interval(ULong translated);
// Blocks are executed in a gap that begins at `since` and ends at `until`.
void dj_budget_follow_gap(ULong since, ULong until, ULong blocks);
void dj_budget_end(ULong blocks);

// stack.c: calls that have not returned, for the beginning of a burst and for events outside of bursts.
void dj_stack_note_call(const IRSB *block); // a block with a call is translated
Addr dj_stack_call_before(Addr pc);         // the call that returns to pc
void dj_stack_send(ThreadId tid);

// heap.c: allocations of a program that is traced in bursts.
void dj_heap_instrument_entry(IRSB *out, UInt allocator);
Bool dj_heap_returns_to(Addr pc);
void dj_heap_instrument_return(IRSB *out);

// instrument.c
IRSB *dj_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word);

// strings.c: speeds up a block that begins with a repeated string instruction. Outside of bursts too, so that
// it has as many blocks there.
Bool dj_strings_begin(Addr pc, UInt length);
void dj_strings_instrument(IRSB *out, Addr pc, UInt length);

// modules.c
void dj_modules_notice(Addr pc); // code at pc is about to be translated
void dj_modules_send_again(void);
void dj_modules_mapped(Addr start, SizeT bytes, Bool r, Bool w, Bool x, ULong handle);
void dj_modules_mapped_later(Addr start, SizeT bytes, Bool r, Bool w, Bool x, ULong handle);
void dj_modules_unmapped(Addr start, SizeT bytes);

// functions.c: what is known about the function that begins at pc.
typedef struct dj_function {
    UInt record; // enum dj_record_type that its entry produces; 0: none
    UInt id;     // of that record
} dj_function;

dj_function dj_function_at(Addr pc);

// marks.c: annotations and joins. Writes the record at the start of a block.
void dj_marks_instrument(IRSB *out, UInt record);
// Reads a string of the program, as far as the program could read it, into `to`, a buffer of `capacity`
// bytes.
const HChar *dj_text_read(Addr from, HChar *to, SizeT capacity);

// threads.c
void dj_threads_number(ThreadId parent, ThreadId child);
void dj_threads_run(ThreadId tid, ULong blocks);
void dj_threads_exit(ThreadId tid);
void dj_threads_clone(UWord flags, Addr thread_pointer); // the call that creates the next thread
void dj_threads_join(ThreadId tid, Addr thread_pointer); // tid waits for that thread
void dj_threads_name(ThreadId tid, const HChar *name);
void dj_threads_send_again(void);

// precision.c: the precision of the registers that a signal handler sees.
void dj_precision_begin(void);
void dj_precision_handled(Int signal, const UWord *action);

// process.c: fork, exec, the end, and messages of the core.
void dj_process_begin(void);
void dj_process_before(ThreadId tid, UInt number, UWord *arguments, UInt count);
void dj_process_after(ThreadId tid, UInt number, UWord *arguments, UInt count, SysRes result);

#endif
