// SPDX-License-Identifier: MIT
// The memory that a traced process shares with the analyzer: a file of one header and `frames` frames of
// `frame_words` 64-bit words. A writer (a tracer has one, or one per thread) owns one frame at a time and
// writes records directly into it. The analyzer reads frames in the order of publication, and after the death
// of the tracer also the words before the cursors of its writers. Nothing here needs a C library, since one
// of the tracers has none.
//
// A record is a word `type << 56 | n << 32 | id` and n words, or, from type DJ_DIRECT on, `type << 56 | pc`
// and one word. It never crosses a frame. Readers skip unknown types. Addresses are those of the traced
// process.
#ifndef DEJA_TRACER_RING_H
#define DEJA_TRACER_RING_H

#include <stdint.h>

#define DJ_RING_MAGIC UINT64_C(0x32474e4952414a44) // "DJARING2"

enum {
    DJ_RING_VERSION = 2,
    DJ_RING_HEADER_BYTES = 1 << 17,
    DJ_RING_FRAME_WORDS = 8192, // at most
    DJ_RING_FRAMES_MOST = 4096,
    DJ_RING_WRITERS = 4096,
    DJ_RING_AHEAD_MOST = 128, // a tracer waits when this many frames are published and not returned,
                              // or all its frames, if it has fewer
};

enum dj_ring_state {
    DJ_RING_RUNNING = 0,
    DJ_RING_ENDED = 1,    // everything is published; the process ends
    DJ_RING_REPLACED = 2, // everything is published, before an exec: another ring of the same process
                          // follows, or the exec fails and the state becomes DJ_RING_RUNNING again
};

// A writer's position in its frame. Cursor 0: it owns none. The cursor is stored after the complete record
// before it, and stays below the end of the frame, which is the beginning of another.
typedef struct dj_ring_writer {
    uint64_t cursor; // address after the last complete record
    uint64_t limit;  // private to the tracer
} dj_ring_writer;

typedef struct dj_ring {
    // Written once, before the file gets its final name.
    uint64_t magic;
    uint32_t version;
    uint32_t header_bytes;
    uint32_t frame_words;
    uint32_t frames;
    uint32_t pid;
    uint32_t parent;
    uint64_t base; // address of the first frame in the traced process

    // Written by the tracer. Publishing a frame sets its `used` and its position in `order`, increments
    // `published`, and moves the cursor away, in that order, one writer at a time. A frame is reused after it
    // was returned and another one has been published since. So a cursor in the frame published last means
    // that the writer was killed while publishing, and has nothing else to report.
    _Alignas(64) uint64_t published;     // frames handed over so far
    uint32_t state;                      // enum dj_ring_state
    uint32_t tracer_waits;               // the analyzer wakes `consumed` if it is not 0
    uint32_t order[DJ_RING_FRAMES_MOST]; // at publication number % frames: the frame
    uint32_t used[DJ_RING_FRAMES_MOST];  // by frame: number of used words
    _Alignas(64) dj_ring_writer writer[DJ_RING_WRITERS];

    // Written by the analyzer.
    _Alignas(64) uint64_t consumed; // frames returned, in the order of publication
    uint32_t detach;                // not 0: the tracer drops all further records
    uint32_t analyzer_waits;        // the tracer wakes `published` if it is not 0
    uint32_t analyzer_pid;          // 0: it has not opened the file; if it has ended, the tracer detaches

    // Written by the tracer of a run in bursts: the length of the current gap so far, which no record says if
    // the process is killed or replaced by an exec. In a burst it means nothing.
    _Alignas(64) uint64_t gap_length;
} dj_ring;

_Static_assert(sizeof(dj_ring) <= DJ_RING_HEADER_BYTES, "the header fits into its space");

enum dj_record_type {
    // Unused words of a frame; id is 1, so that the record is never a word of zeros.
    DJ_RECORD_UNUSED = 0,
    // id = segment: a run of instructions that was executed completely. The words are the addresses of its
    // accesses, one for each that is not DJ_ACCESS_RELATIVE, in order (DJ_RING_SKIPPED for one that was
    // predicated away), followed by the words that its ending requires.
    DJ_RECORD_SEGMENT = 1,
    // id = the segment described: first pc; ending | bytes of its instructions << 8 | offset of the last one
    // << 40; target of a call, or with DJ_ENDING_NONE where control goes next, or enum dj_next; and two words
    // per access: pc, size | kind << 32 | flags << 40 (enum dj_kind of batch.h). Precedes the first use; ids
    // are never reused. Segments without accesses are in the stream if they may jump back or far away.
    DJ_RECORD_DEFINE = 2,
    // An object file was mapped (id = 1: its functions report neither entry nor exit, while those of others
    // do): lowest address, bytes (of all its mappings together), path (words of text, the last one padded
    // with 0).
    DJ_RECORD_MODULE = 3,
    // id = thread of everything that follows: lowest address and end of its stack (0, 0: unknown), and unused
    // words.
    DJ_RECORD_THREAD = 4,
    // id = enum dj_allocator: such a function is entered: its first three arguments, sp. The block is the
    // result of the matching return.
    DJ_RECORD_ALLOCATOR = 5,
    DJ_RECORD_PROCESS = 6, // text: the command line, arguments separated by byte 1
    DJ_RECORD_END = 7,     // id = wait status, if the tracer knows it
    DJ_RECORD_MESSAGE = 8, // text for the user
    DJ_RECORD_REGION = 9,  // id = 1 begins, 0 ends; text: name
    // A data mapping was created: address, bytes and, if known, the return address of the call that requested
    // it and sp before that call. Otherwise the current function requested it.
    DJ_RECORD_MAP = 10,
    DJ_RECORD_UNMAP = 11,       // address, bytes
    DJ_RECORD_THREAD_NAME = 12, // id = thread; text
    DJ_RECORD_FORK = 13,        // id = pid of the child
    // id = segment whose accesses are those of one step of a string instruction. Many steps were executed:
    // the lowest address of each access, and the bytes of each, at most 64. Other steps of the same
    // instruction are recorded as DJ_RECORD_SEGMENT.
    DJ_RECORD_STRING = 14,
    // A heap block was allocated: return address of the call that requested it, sp before that call, address,
    // bytes, address of the block that it replaces (realloc; 0: none).
    DJ_RECORD_ALLOC = 15,
    DJ_RECORD_FREE = 16, // address of the block
    // id = enum dj_kind: accesses to a range by the call that returns to pc, counted as accesses of at most
    // 64 bytes that cross no multiple of 64: pc, address, bytes.
    DJ_RECORD_RANGE = 17,
    DJ_RECORD_COPY = 18,      // likewise, reads and writes alternating: pc, to, from, bytes
    DJ_RECORD_DATA = 19,      // the program names its data: address, bytes, bytes of an element, text
    DJ_RECORD_STATEMENT = 20, // an instance of a statement begins: pc
    // id = bits of enum dj_sync (batch.h): the thread acquires or releases an object, by which threads
    // synchronize: its address, or with DJ_SYNC_THREAD the number of a thread. A release is published before
    // it can have an effect, and an acquire is written after it took effect, so that an acquire follows in
    // the ring all releases that it follows in the program.
    DJ_RECORD_SYNC = 21,
    // Of a program that is traced in bursts: ends one (id = 1), or the gap before one (id = 0). Its number of
    // blocks of code, or of what else measures the length of a run.
    DJ_RECORD_BURST = 22,
    // The calls of the current thread that have not returned, the outermost first: return address and sp
    // before the call, of each; with id = 2 also an address in the function that was called, otherwise id is
    // 1. Replaces what is known about them.
    DJ_RECORD_STACK = 23,
    // Of a program with a budget for bursts. id = 0: the budget, in thousandths of the cost without bursts;
    // the part of the run that is traced for it, in millionths; the length of what was not sampled, since it
    // was needed to measure. id = 1: what the run has cost so far, in thousandths. The last one counts.
    DJ_RECORD_BUDGET = 24,
    // Of a program that reports its annotations, which numbers sites and threads itself, and has resolved
    // addresses to elements:
    // id = enum dj_event_type (batch.h): an event as it will be in the stream: a, b, c, text.
    DJ_RECORD_EVENT = 25,
    // Accesses to elements, two words each: number of the element; site | kind << 32.
    DJ_RECORD_ELEMENTS = 26,
};

// Types of records with a pc instead of a length and an id. The pc is the address after a call into the
// tracer: the site is the byte before.
enum dj_direct_type {
    DJ_DIRECT = 0x80,
    // | enum dj_kind << 3 | log2 of the size: an access. The word is its address.
    DJ_DIRECT_ACCESS = 0x80,
    DJ_DIRECT_ACCESS_END = 0xa0,
    // A function is entered. pc: its return address; the word: the position of that return address on the
    // stack.
    DJ_DIRECT_ENTRY = 0xa0,
    // A function is left. The word is the stack pointer within it: functions whose return addresses are below
    // it were left without notice, and after them one is left now. Or it has jumped to the tracer as its last
    // action: then the pc is its return address, which is stored just below the word.
    DJ_DIRECT_EXIT = 0xa1,
    DJ_DIRECT_PASS = 0xa2, // control passed here: the start of a basic block. The word is 0.
};

enum dj_segment_ending {
    DJ_ENDING_NONE = 0,
    DJ_ENDING_CALL = 1,          // + sp after the call; target is known
    DJ_ENDING_CALL_INDIRECT = 2, // + sp after the call, target
    DJ_ENDING_RETURN = 3,        // + sp after the return, result
};

enum dj_next {
    DJ_NEXT_FORWARD = 0,  // to an instruction after it, known from the code
    DJ_NEXT_ANYWHERE = 1, // not known from the code
};

enum dj_access_flag {
    DJ_ACCESS_STRING = 1, // one step of a rep instruction: merged with its neighbours by the analyzer
    // Has no word: its address is that of another access, the word number pc >> 48 of the record, plus
    // (int16_t)(second word >> 48).
    DJ_ACCESS_RELATIVE = 2,
};

enum dj_allocator {
    DJ_ALLOCATOR_MALLOC = 1,   // (bytes), operator new too
    DJ_ALLOCATOR_CALLOC = 2,   // (count, bytes)
    DJ_ALLOCATOR_REALLOC = 3,  // (block, bytes)
    DJ_ALLOCATOR_MEMALIGN = 4, // (alignment, bytes)
    DJ_ALLOCATOR_POSIX = 5,    // (address of the result, alignment, bytes)
    DJ_ALLOCATOR_FREE = 6,     // (block), operator delete too
};

#define DJ_RING_SKIPPED UINT64_MAX

#define DJ_RECORD(type, words, id) ((uint64_t)(type) << 56 | (uint64_t)(words) << 32 | (uint32_t)(id))
#define DJ_RECORD_TYPE(record) ((unsigned)((record) >> 56))
#define DJ_RECORD_IS_DIRECT(record) ((record) >> 63 != 0)
#define DJ_RECORD_WORDS(record) (DJ_RECORD_IS_DIRECT(record) ? 1u : (unsigned)((record) >> 32 & 0xffffff))
#define DJ_RECORD_ID(record) ((uint32_t)(record))
#define DJ_DIRECT_RECORD(type, pc) ((uint64_t)(type) << 56 | (uint64_t)(pc))
#define DJ_DIRECT_PC(record) ((record)&UINT64_C(0xffffffffffffff))

#endif
