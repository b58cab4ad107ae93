// SPDX-License-Identifier: MIT
// The ownership of frames. A frame is published when it is full or its thread synchronizes. The thread then
// takes the frame that was returned last, so that the file uses no more memory than necessary.
#include <sys/mman.h>

#include "core.h"
#include "system.h"

enum {
    WAKE_AT = DJ_RING_AHEAD_MOST / 4, // frames that are worth waking the analyzer for
    GROW_FRAMES = 32,
    SPINS = 100,
};

DJ_RT_THREAD dj_ring_writer *dj_rt_writer = &dj_rt_no_writer;
DJ_RT_THREAD volatile int dj_rt_critical, dj_rt_deferred;
DJ_RT_THREAD int dj_rt_cancel_type;
dj_ring_writer dj_rt_no_writer;

// All protected by the lock.
static struct {
    uint32_t lock;            // 1: locked; 2: locked, and a thread sleeps
    uint32_t fresh, reserved; // frames [fresh, reserved) were never used
    uint32_t free_count, writer_fresh, writer_free_count;
    uint64_t reclaimed; // publications whose frames are free again
    // The length of a burst or a gap that has ended, if its end was not recorded yet: at the beginning of the
    // next frame, since a handler that leaves by longjmp may abandon what follows.
    uint64_t burst, gap;
    bool refused, reported; // a thread could not record for lack of space; the analyzer knows
    uint16_t free[DJ_RT_FRAMES];
    uint16_t writer_free[DJ_RING_WRITERS];
} here;

// A page that the kernel clears in every child, however it was created: the mappings then belong to another
// process.
static volatile bool *is_ours;

void dj_rt_frames_lock(void)
{
    dj_rt_critical_begin();
    uint32_t expected = 0;
    for (int i = 0; i < SPINS; i++) {
        if (__atomic_compare_exchange_n(&here.lock, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return;
        expected = 0;
        __builtin_ia32_pause();
    }
    while (__atomic_exchange_n(&here.lock, 2, __ATOMIC_ACQUIRE) != 0)
        dj_rt_futex(&here.lock, FUTEX_WAIT_PRIVATE, 2, NULL);
}

void dj_rt_frames_unlock(void)
{
    if (__atomic_exchange_n(&here.lock, 0, __ATOMIC_RELEASE) == 2)
        dj_rt_futex(&here.lock, FUTEX_WAKE_PRIVATE, 1, NULL);
    dj_rt_critical_end();
}

void dj_rt_frames_forget_lock(void)
{
    here.lock = 0;
    dj_rt_critical_end();
}

void dj_rt_frames_begin(unsigned reserved)
{
    static bool always = true;
    enum { PAGE = 4096 };
    here.fresh = here.free_count = here.writer_fresh = here.writer_free_count = 0;
    here.reserved = reserved;
    here.reclaimed = 0;
    here.refused = here.reported = false;
    here.burst = here.gap = 0;
    if (!is_ours)
        is_ours = dj_rt_map(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (!is_ours || dj_rt_system(SYS_madvise, DJ_RT_ARGUMENT(is_ours), PAGE, MADV_WIPEONFORK, 0, 0, 0) != 0)
        is_ours = &always;
    *is_ours = true;
}

static uint32_t frame_of(const dj_ring_writer *writer)
{
    return (uint32_t)((writer->cursor - dj_rt_ring->base) / DJ_RT_FRAME_BYTES);
}

static uint64_t ahead(void)
{
    return dj_rt_ring->published - __atomic_load_n(&dj_rt_ring->consumed, __ATOMIC_ACQUIRE);
}

// Without the words that a handler has moved to another frame (signals.c).
static uint64_t records_of(const dj_ring_writer *writer, uint32_t used)
{
    const uint64_t first = dj_rt_frame_start(writer)[DJ_RT_FRAME_HEAD];
    const bool moved = used > DJ_RT_FRAME_HEAD && DJ_RECORD_TYPE(first) == DJ_RECORD_UNUSED;
    return (used - DJ_RT_FRAME_HEAD - (moved ? 1 + DJ_RECORD_WORDS(first) : 0)) / 2;
}

static void publish(dj_ring_writer *writer)
{
    dj_ring *ring = dj_rt_ring;
    uint64_t number = ring->published;
    uint32_t frame = frame_of(writer);
    ring->used[frame] = (uint32_t)((uint64_t *)writer->cursor - dj_rt_frame_start(writer));
    ring->order[number % DJ_RT_FRAMES] = frame;
    dj_rt_bursts_count(records_of(writer, ring->used[frame]));
    __atomic_store_n(&ring->published, number + 1, __ATOMIC_SEQ_CST);
    writer->limit = 0;
    __atomic_store_n(&writer->cursor, 0, __ATOMIC_RELEASE);
}

// The frame published last is not reused until a later one is published (ring.h).
static void reclaim(void)
{
    dj_ring *ring = dj_rt_ring;
    uint64_t back = __atomic_load_n(&ring->consumed, __ATOMIC_ACQUIRE);
    if (back >= ring->published)
        back = ring->published ? ring->published - 1 : 0;
    for (; here.reclaimed < back && here.free_count < DJ_RT_FRAMES; here.reclaimed++)
        here.free[here.free_count++] = (uint16_t)ring->order[here.reclaimed % DJ_RT_FRAMES];
}

static uint64_t *put_length(uint64_t *at, uint32_t ends_burst, uint64_t *length)
{
    if (*length == 0)
        return at;
    *at++ = DJ_RECORD(DJ_RECORD_BURST, 1, ends_burst);
    *at++ = *length;
    *length = 0;
    return at;
}

static void enter_frame(dj_ring_writer *writer, uint32_t frame)
{
    uint64_t *start = (uint64_t *)dj_rt_ring->base + (size_t)frame * DJ_RT_FRAME_WORDS;
    start[0] = DJ_RECORD(DJ_RECORD_THREAD, DJ_RT_FRAME_HEAD - 1, dj_rt_self.number);
    start[1] = dj_rt_self.stack_low;
    start[2] = dj_rt_self.stack_end;
    start[3] = 0; // so that records of two words do not cross cache lines
    uint64_t *at = start + DJ_RT_FRAME_HEAD;
    if (writer == dj_rt_writer)
        at = put_length(put_length(at, 1, &here.burst), 0, &here.gap);
    writer->limit = dj_rt_is_open() ? (uint64_t)(start + DJ_RT_FRAME_WORDS - 2) : 0;
    __atomic_store_n(&writer->cursor, (uint64_t)at, __ATOMIC_RELEASE);
}

// Every thread finds its frame full at its next access.
static void end_burst(void)
{
    if (!dj_rt_bursts_end_now(&here.burst))
        return;
    for (uint32_t i = 0; i < here.writer_fresh; i++)
        dj_rt_ring->writer[i].limit = 0;
}

void dj_rt_frames_end_gap(uint64_t length)
{
    here.gap = length;
    if (dj_rt_writer->cursor && !dj_rt_off)
        publish(dj_rt_writer);
}

enum taken { TAKEN, LATER, NEVER };

static enum taken take(dj_ring_writer *writer)
{
    if (ahead() >= DJ_RING_AHEAD_MOST)
        return LATER;
    reclaim();
    if (here.free_count) {
        enter_frame(writer, here.free[--here.free_count]);
        return TAKEN;
    }
    if (here.fresh == here.reserved && here.reserved + GROW_FRAMES <= DJ_RT_FRAMES &&
        dj_rt_ring_reserve(here.reserved, here.reserved + GROW_FRAMES))
        here.reserved += GROW_FRAMES;
    if (here.fresh < here.reserved) {
        enter_frame(writer, here.fresh++);
        return TAKEN;
    }
    return ahead() > 1 ? LATER : NEVER;
}

static bool is_detached(void)
{
    return dj_rt_off || __atomic_load_n(&dj_rt_ring->detach, __ATOMIC_RELAXED);
}

static bool has_room(const dj_ring_writer *writer, unsigned words)
{
    return writer->cursor && writer->cursor + 8 * (uint64_t)words <= dj_rt_frame_limit(writer) + 8;
}

// Gives the writer a frame with space. The contents of its current frame are published.
static bool next_frame(dj_ring_writer *writer, unsigned words)
{
    for (;;) {
        enum taken taken = NEVER;
        bool wake = false;
        dj_rt_frames_lock();
        uint32_t seen = (uint32_t)__atomic_load_n(&dj_rt_ring->consumed, __ATOMIC_ACQUIRE);
        if (is_detached()) {
            dj_rt_off = true;
        } else if (has_room(writer, words)) { // a signal handler has already done it
            taken = TAKEN;
        } else {
            if (writer->cursor)
                publish(writer);
            if (writer == dj_rt_writer) // not for a handler: dj_rt_writer_acquire promises an empty frame
                end_burst();
            wake = ahead() >= WAKE_AT && __atomic_load_n(&dj_rt_ring->analyzer_waits, __ATOMIC_SEQ_CST);
            taken = take(writer);
            here.refused |= taken == NEVER;
        }
        dj_rt_frames_unlock();
        if (wake)
            dj_rt_wake_analyzer();
        if (taken != LATER)
            return taken == TAKEN;
        dj_rt_wait_for_space(seen);
    }
}

// Requires the lock. NULL: too many threads.
static dj_ring_writer *take_writer(void)
{
    if (here.writer_free_count)
        return &dj_rt_ring->writer[here.writer_free[--here.writer_free_count]];
    if (here.writer_fresh < DJ_RING_WRITERS)
        return &dj_rt_ring->writer[here.writer_fresh++];
    here.refused = true;
    return NULL;
}

dj_ring_writer *dj_rt_writer_acquire(void)
{
    if (dj_rt_off || dj_rt_critical || !dj_rt_ring)
        return NULL;
    dj_rt_frames_lock();
    dj_ring_writer *writer = take_writer();
    dj_rt_frames_unlock();
    if (writer && !next_frame(writer, 2)) {
        dj_rt_writer_release(writer);
        writer = NULL;
    }
    return writer;
}

void dj_rt_writer_release(dj_ring_writer *writer)
{
    dj_rt_frames_lock();
    if (writer->cursor && !is_detached())
        publish(writer);
    writer->cursor = writer->limit = 0;
    here.writer_free[here.writer_free_count++] = (uint16_t)(writer - dj_rt_ring->writer);
    dj_rt_frames_unlock();
}

static bool attach(void)
{
    dj_rt_thread_begin();
    dj_rt_frames_lock();
    if (dj_rt_writer == &dj_rt_no_writer) {
        dj_ring_writer *writer = take_writer();
        dj_rt_writer = writer ? writer : &dj_rt_no_writer;
    }
    dj_rt_frames_unlock();
    return dj_rt_writer != &dj_rt_no_writer;
}

static void report_refused(void)
{
    if (!__atomic_exchange_n(&here.reported, true, __ATOMIC_RELAXED))
        dj_rt_put_record(DJ_RECORD_MESSAGE, 0, NULL, 0,
                         "there was not enough space for all simultaneous threads of this program: some "
                         "accesses are not traced; more space in /dev/shm, or fewer threads, would help");
}

bool dj_rt_ensure_space(unsigned words)
{
    if (dj_rt_off || dj_rt_critical || (!dj_rt_ring && !dj_rt_start()))
        return false;
    if (!*is_ours) {
        dj_rt_off = true;
        return false;
    }
    if (dj_rt_writer == &dj_rt_no_writer && !attach())
        return false;
    if (!next_frame(dj_rt_writer, words))
        return false;
    if (dj_rt_self.created) {
        dj_rt_self.created = false;
        dj_rt_acquire_thread(dj_rt_self.number);
    }
    if (here.refused && !here.reported)
        report_refused();
    return true;
}

void dj_rt_publish(void)
{
    dj_ring_writer *writer = dj_rt_writer;
    if (dj_rt_threads_now() < 2 || !writer->cursor || dj_rt_off || dj_rt_critical || !*is_ours)
        return;
    dj_rt_frames_lock();
    if (writer->cursor && !is_detached() &&
        writer->cursor > (uint64_t)(dj_rt_frame_start(writer) + DJ_RT_FRAME_HEAD))
        publish(writer);
    bool wake = __atomic_load_n(&dj_rt_ring->analyzer_waits, __ATOMIC_SEQ_CST) && ahead() >= WAKE_AT;
    dj_rt_frames_unlock();
    if (wake)
        dj_rt_wake_analyzer();
}

// Other threads may still be running: what they have written so far is published, and the frames are not used
// again.
void dj_rt_frames_end(void)
{
    dj_rt_frames_lock();
    bool wanted = !is_detached();
    dj_rt_off = true;
    for (uint32_t i = 0; wanted && i < here.writer_fresh; i++) {
        dj_ring_writer *writer = &dj_rt_ring->writer[i];
        if (writer != dj_rt_writer && writer->cursor)
            publish(writer);
    }
    if (wanted && dj_rt_writer->cursor)
        publish(dj_rt_writer);
    if (wanted)
        __atomic_store_n(&dj_rt_ring->state, DJ_RING_ENDED, __ATOMIC_SEQ_CST);
    dj_rt_frames_unlock();
    if (wanted)
        dj_rt_wake_analyzer();
}
