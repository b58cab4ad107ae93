// SPDX-License-Identifier: MIT
#include "tool.h"

enum {
    READ_WRITE = VKI_PROT_READ | VKI_PROT_WRITE,
    FUTEX_WAIT_SHARED = 0,
    FUTEX_WAKE_SHARED = 1,
    FRAME_BYTES = DJ_RING_FRAME_WORDS * 8,
    SLACK_BYTES = DJ_RING_SLACK * 8,
    PATIENCE_NS = 100000000, // between checks whether to go on waiting
};

static struct {
    dj_ring *ring;
    SizeT bytes;
    uint64_t limit; // a block begins below it
    Bool dropping;  // nobody reads: the current frame is overwritten repeatedly
    ULong inode;    // of its file
    ULong waited;   // for the analyzer, ns
} here;

uint64_t *dj_ring_cursor(void)
{
    return &here.ring->writer[0].cursor;
}

Bool dj_ring_live(void)
{
    return here.ring && !here.dropping;
}

void dj_ring_set_gap(ULong length)
{
    __atomic_store_n(&here.ring->gap_length, length, __ATOMIC_RELAXED);
}

ULong dj_ring_waited(void)
{
    return here.waited;
}

static uint64_t *frame_start(uint64_t number)
{
    return (uint64_t *)here.ring->base + number % here.ring->frames * DJ_RING_FRAME_WORDS;
}

static void enter_frame(void)
{
    uint64_t *start = frame_start(here.ring->published);
    here.ring->writer[0].cursor = (uint64_t)start;
    here.limit = (uint64_t)(start + DJ_RING_FRAME_WORDS - DJ_RING_SLACK);
}

// Tells the analyzer that this process is not traced, and why. An empty file needs no space, and no
// descriptor.
static void leave_reason(UWord error)
{
    HChar name[VG_(strlen)(dj_set.folder) + 40];
    VG_(sprintf)(name, "%s/untraced.%d.%lu", dj_set.folder, VG_(getpid)(), error);
    dj_syscall(__NR_mknod, (UWord)name, VKI_S_IFREG | 0600, 0, 0);
}

// Creates a file that is not visible to others yet, or returns -1 and leaves the reason. Reserves its space,
// since a full file system would otherwise end the program by SIGBUS.
static Int create_file(HChar *path)
{
    VG_(sprintf)(path, "%s/.ring.%d.%lld", dj_set.folder, VG_(getpid)(), dj_set.serial);
    SysRes opened = VG_(open)(path, VKI_O_CREAT | VKI_O_EXCL | VKI_O_RDWR, 0600);
    if (sr_isError(opened)) {
        leave_reason(sr_Err(opened));
        return -1;
    }
    Int fd = (Int)sr_Res(opened);
    SysRes sized = dj_syscall(__NR_fallocate, (UWord)fd, 0, 0, here.bytes);
    if (sr_isError(sized) && sr_Err(sized) != VKI_ENOSPC)
        sized = dj_syscall(__NR_ftruncate, (UWord)fd, here.bytes, 0, 0);
    struct vki_stat status;
    here.inode = sr_isError(dj_syscall(__NR_fstat, (UWord)fd, (UWord)&status, 0, 0)) ? 0 : status.st_ino;
    if (!sr_isError(sized))
        return fd;
    VG_(close)(fd);
    VG_(unlink)(path);
    leave_reason(sr_Err(sized));
    return -1;
}

static void fill_header(void)
{
    dj_ring *ring = here.ring;
    ring->version = DJ_RING_VERSION;
    ring->header_bytes = DJ_RING_HEADER_BYTES;
    ring->frame_words = DJ_RING_FRAME_WORDS;
    ring->frames = (uint32_t)dj_set.frames;
    ring->pid = (uint32_t)VG_(getpid)();
    ring->parent = (uint32_t)VG_(getppid)();
    ring->base = (uint64_t)ring + DJ_RING_HEADER_BYTES;
    ring->analyzer_pid = 0;
    enter_frame();
    ring->magic = DJ_RING_MAGIC;
}

static void build_name(HChar *name)
{
    VG_(sprintf)(name, "%s/ring.%d.%lld", dj_set.folder, VG_(getpid)(), dj_set.serial);
}

static Bool publish_file(const HChar *path)
{
    HChar name[VG_(strlen)(dj_set.folder) + 40];
    build_name(name);
    return VG_(rename)(path, name) == 0;
}

// Frames begin such that all addresses in the last part of each, DJ_RING_SLACK, have DJ_RING_SPACE_BITS equal
// to 0.
static dj_ring *find_place(void)
{
    SysRes found = VG_(am_mmap_anon_float_valgrind)(here.bytes + FRAME_BYTES);
    if (sr_isError(found))
        return NULL;
    Addr first_frame = VG_ROUNDUP(sr_Res(found) + DJ_RING_HEADER_BYTES, FRAME_BYTES) + SLACK_BYTES;
    if (first_frame - DJ_RING_HEADER_BYTES + here.bytes > sr_Res(found) + here.bytes + FRAME_BYTES)
        first_frame -= FRAME_BYTES;
    return (dj_ring *)(first_frame - DJ_RING_HEADER_BYTES);
}

// The address manager knows the range; its contents are replaced.
static Bool map_file(Int fd, UInt flags)
{
    return !sr_isError(
        VG_(am_do_mmap_NO_NOTIFY)((Addr)here.ring, here.bytes, READ_WRITE, VKI_MAP_FIXED | flags, fd, 0));
}

Bool dj_ring_create(void)
{
    HChar path[VG_(strlen)(dj_set.folder) + 40];
    here.bytes = DJ_RING_HEADER_BYTES + (SizeT)dj_set.frames * DJ_RING_FRAME_WORDS * sizeof(uint64_t);
    Int fd = create_file(path);
    if (fd < 0)
        return False;
    here.ring = find_place();
    Bool mapped = here.ring && map_file(fd, VKI_MAP_SHARED);
    VG_(close)(fd);
    if (!mapped) {
        VG_(unlink)(path);
        leave_reason(VKI_ENOMEM);
        here.ring = NULL;
        return False;
    }
    fill_header();
    here.dropping = !publish_file(path);
    return !here.dropping;
}

// Translated code contains the addresses, so the memory shared with the parent is replaced in place. Without
// a file the child gets private memory, and drops what it writes.
void dj_ring_create_again(void)
{
    HChar path[VG_(strlen)(dj_set.folder) + 40];
    Bool wanted = VG_(clo_trace_children) && !here.dropping;
    Int fd = wanted ? create_file(path) : -1;
    if (!map_file(fd, fd < 0 ? VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS : VKI_MAP_SHARED))
        VG_(tool_panic)("deja: a forked process has no memory for its ring");
    here.dropping = fd < 0;
    fill_header();
    if (fd < 0)
        return;
    VG_(close)(fd);
    here.dropping = !publish_file(path);
}

static SysRes look_up(const HChar *path, struct vki_stat *status)
{
    return dj_syscall(__NR_lstat, (UWord)path, (UWord)status, 0, 0);
}

// The program may have removed or replaced its file. If the folder is not there either, it has only changed
// its root directory.
static Bool is_lost(void)
{
    HChar name[VG_(strlen)(dj_set.folder) + 40];
    struct vki_stat status;
    build_name(name);
    SysRes found = look_up(name, &status);
    return sr_isError(found) ? sr_Err(found) == VKI_ENOENT && !sr_isError(look_up(dj_set.folder, &status))
                             : status.st_ino != here.inode;
}

// Whether nobody will ever read the ring.
static Bool is_in_vain(void)
{
    uint32_t pid = __atomic_load_n(&here.ring->analyzer_pid, __ATOMIC_RELAXED);
    if (!pid && is_lost())
        return True;
    if (!pid)
        pid = (uint32_t)dj_set.analyzer;
    return pid && dj_process_has_ended(pid);
}

static Bool is_full(void)
{
    return here.ring->published - __atomic_load_n(&here.ring->consumed, __ATOMIC_ACQUIRE) >=
           here.ring->frames;
}

static void wait_for_space(void)
{
    dj_ring *ring = here.ring;
    struct vki_timespec patience = {.tv_sec = 0, .tv_nsec = PATIENCE_NS};
    if (!is_full())
        return;
    const ULong since = dj_clock_ns(DJ_CLOCK_ELAPSED);
    while (is_full() && !__atomic_load_n(&ring->detach, __ATOMIC_RELAXED)) {
        uint32_t seen = (uint32_t)__atomic_load_n(&ring->consumed, __ATOMIC_ACQUIRE);
        __atomic_store_n(&ring->tracer_waits, 1, __ATOMIC_SEQ_CST);
        if (is_full() && seen == (uint32_t)__atomic_load_n(&ring->consumed, __ATOMIC_SEQ_CST)) {
            SysRes woken =
                dj_syscall(__NR_futex, (UWord)&ring->consumed, FUTEX_WAIT_SHARED, seen, (UWord)&patience);
            if (sr_isError(woken) && is_in_vain())
                ring->detach = 1;
        }
        __atomic_store_n(&ring->tracer_waits, 0, __ATOMIC_RELAXED);
    }
    here.waited += dj_clock_ns(DJ_CLOCK_ELAPSED) - since;
}

// The analyzer is woken when there is enough work: a system call for each frame would cost more than writing
// it.
static void publish(void)
{
    dj_ring *ring = here.ring;
    uint64_t number = ring->published;
    ring->order[number % ring->frames] = (uint32_t)(number % ring->frames);
    ring->used[number % ring->frames] = (uint32_t)((uint64_t *)ring->writer[0].cursor - frame_start(number));
    __atomic_store_n(&ring->published, number + 1, __ATOMIC_SEQ_CST);
    enter_frame();
    uint64_t waiting = number + 1 - __atomic_load_n(&ring->consumed, __ATOMIC_RELAXED);
    if (waiting * 4 >= ring->frames && __atomic_load_n(&ring->analyzer_waits, __ATOMIC_SEQ_CST))
        dj_syscall(__NR_futex, (UWord)&ring->published, FUTEX_WAKE_SHARED, 1, 0);
}

void dj_ring_flush(void)
{
    if (here.dropping || here.ring->detach) {
        here.dropping = True;
        enter_frame();
        return;
    }
    publish();
    wait_for_space();
}

void dj_ring_put_text(enum dj_record_type type, uint32_t id, const uint64_t *words, UInt count,
                      const HChar *text)
{
    if (!dj_ring_live())
        return;
    UInt length = text ? (UInt)VG_(strlen)(text) : 0;
    UInt text_words = (length + 7) / 8;
    if (1 + count + text_words > DJ_RING_FRAME_WORDS - DJ_RING_SLACK)
        text_words = DJ_RING_FRAME_WORDS - DJ_RING_SLACK - 1 - count;
    if (length > text_words * 8)
        length = text_words * 8;
    if (here.ring->writer[0].cursor > here.limit - (1 + count + text_words) * sizeof(uint64_t))
        dj_ring_flush();
    uint64_t *at = (uint64_t *)here.ring->writer[0].cursor;
    *at++ = DJ_RECORD(type, count + text_words, id);
    for (UInt i = 0; i < count; i++)
        *at++ = words[i];
    if (text_words) {
        at[text_words - 1] = 0;
        VG_(memcpy)(at, text, length);
    }
    __atomic_store_n(&here.ring->writer[0].cursor, (uint64_t)(at + text_words), __ATOMIC_RELEASE);
}

void dj_ring_put(enum dj_record_type type, uint32_t id, const uint64_t *words, UInt count)
{
    dj_ring_put_text(type, id, words, count, NULL);
}

void dj_ring_finish(enum dj_ring_state state)
{
    if (!dj_ring_live())
        return;
    publish();
    __atomic_store_n(&here.ring->state, (uint32_t)state, __ATOMIC_SEQ_CST);
    dj_syscall(__NR_futex, (UWord)&here.ring->published, FUTEX_WAKE_SHARED, 1, 0);
    if (state == DJ_RING_REPLACED) // a failed exec continues here
        wait_for_space();
}

void dj_ring_resume(void)
{
    if (!dj_ring_live())
        return;
    __atomic_store_n(&here.ring->state, DJ_RING_RUNNING, __ATOMIC_SEQ_CST);
}
