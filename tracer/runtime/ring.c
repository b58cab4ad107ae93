// SPDX-License-Identifier: MIT
// The file of the ring. It has its full length from the start but occupies memory only for frames that were
// used. No descriptor stays open: the program may close descriptors that it did not open.
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core.h"
#include "system.h"
#include "text.h"

enum {
    FRAMES_FIRST = DJ_RING_AHEAD_MOST + 32, // reserved at the start, or as many as there is space for
    FRAMES_LEAST = 8,
    NAME_ROOM = sizeof(((dj_rt_target *)0)->folder) + 40,
    IMAGES_MOST = 100000,
};

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static const size_t ring_bytes = DJ_RING_HEADER_BYTES + (size_t)DJ_RT_FRAMES * DJ_RT_FRAME_BYTES;

dj_ring *dj_rt_ring;

// What the analyzer opens.
static struct {
    char name[NAME_ROOM], folder[NAME_ROOM];
    ino_t inode;
} file;

static void build_name(char *to, const char *folder, const char *prefix, uint32_t image)
{
    to = dj_rt_append(to, folder);
    to = dj_rt_append(to, prefix);
    to = dj_rt_append_number(to, dj_rt_pid());
    to = dj_rt_append(to, ".");
    dj_rt_append_number(to, image);
}

// A file beyond the limit would cause a signal.
static bool is_allowed(void)
{
    struct rlimit limit = {0};
    return dj_rt_system(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, DJ_RT_ARGUMENT(&limit), 0, 0) == 0 &&
           limit.rlim_cur >= ring_bytes;
}

// Space is reserved before it is written, since a full file system would otherwise end the program by SIGBUS.
// Returns the number of frames, or a negative error number.
static long reserve_first(int fd)
{
    long err = 0;
    for (unsigned frames = FRAMES_FIRST; frames >= FRAMES_LEAST; frames /= 2) {
        err = dj_rt_system(SYS_fallocate, fd, 0, 0, DJ_RING_HEADER_BYTES + (long)frames * DJ_RT_FRAME_BYTES,
                           0, 0);
        if (err == 0)
            return frames;
    }
    return err;
}

// Returns a descriptor, or a negative error number.
static int create_file(const char *path, unsigned *reserved)
{
    int fd = is_allowed() ? dj_rt_open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC) : -EFBIG;
    if (fd < 0)
        return fd;
    long frames = reserve_first(fd);
    long err = frames < 0 ? frames : dj_rt_system(SYS_ftruncate, fd, (long)ring_bytes, 0, 0, 0, 0);
    if (err < 0) {
        dj_rt_close(fd);
        return (int)err;
    }
    struct stat status;
    file.inode = dj_rt_system(SYS_fstat, fd, DJ_RT_ARGUMENT(&status), 0, 0, 0, 0) == 0 ? status.st_ino : 0;
    *reserved = (unsigned)frames;
    return fd;
}

// Tells the analyzer that this process is not traced, and why. An empty file needs no space, and no
// descriptor.
static void leave_reason(const char *folder, int error)
{
    char name[NAME_ROOM];
    build_name(name, folder, "/untraced.", (uint32_t)error);
    dj_rt_system(SYS_mknod, DJ_RT_ARGUMENT(name), S_IFREG | 0600, 0, 0, 0, 0);
}

static void fill_header(dj_ring *ring)
{
    ring->version = DJ_RING_VERSION;
    ring->header_bytes = DJ_RING_HEADER_BYTES;
    ring->frame_words = DJ_RT_FRAME_WORDS;
    ring->frames = DJ_RT_FRAMES;
    ring->pid = dj_rt_pid();
    ring->parent = (uint32_t)dj_rt_system(SYS_getppid, 0, 0, 0, 0, 0, 0);
    ring->base = (uint64_t)ring + DJ_RING_HEADER_BYTES;
    ring->magic = DJ_RING_MAGIC;
}

// The program that this process ran before an exec.
static void mark_replaced(const char *path)
{
    int fd = dj_rt_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    off_t bytes = dj_rt_system(SYS_lseek, fd, 0, SEEK_END, 0, 0, 0);
    dj_ring *old = bytes >= DJ_RING_HEADER_BYTES
                       ? dj_rt_map(NULL, DJ_RING_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd)
                       : NULL;
    dj_rt_close(fd);
    if (!old)
        return;
    uint32_t running = DJ_RING_RUNNING;
    if (old->magic == DJ_RING_MAGIC && old->version == DJ_RING_VERSION)
        __atomic_compare_exchange_n(&old->state, &running, DJ_RING_REPLACED, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED);
    dj_rt_futex(&old->published, FUTEX_WAKE, 1, NULL);
    dj_rt_unmap(old, DJ_RING_HEADER_BYTES);
}

// Gives the file the first name that no earlier program of this process used.
// Returns 0 or a negative error number.
static long publish_file(const char *folder, const char *path, uint32_t *image)
{
    char name[NAME_ROOM];
    long err;
    dj_rt_append(file.folder, folder);
    do {
        build_name(file.name, folder, "/ring.", *image);
        err = dj_rt_system(SYS_renameat2, AT_FDCWD, DJ_RT_ARGUMENT(path), AT_FDCWD, DJ_RT_ARGUMENT(file.name),
                           RENAME_NOREPLACE, 0);
    } while (err == -EEXIST && ++*image < IMAGES_MOST);
    if (err)
        return err;
    if (*image > 0) {
        build_name(name, folder, "/ring.", *image - 1);
        mark_replaced(name);
    }
    return 0;
}

bool dj_rt_ring_open(const dj_rt_target *target, uint32_t *image)
{
    char path[NAME_ROOM];
    build_name(path, target->folder, "/.ring.", *image);
    unsigned reserved = 0;
    int fd = create_file(path, &reserved);
    dj_ring *ring = fd >= 0 ? dj_rt_map(NULL, ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd) : NULL;
    long err = fd < 0 ? fd : ring ? 0 : -ENOMEM;
    if (fd >= 0)
        dj_rt_close(fd);
    if (ring) {
        fill_header(ring);
        dj_rt_frames_begin(reserved);
        err = publish_file(target->folder, path, image);
        if (!err) {
            dj_rt_ring = ring;
            return true;
        }
        dj_rt_unmap(ring, ring_bytes);
    }
    dj_rt_system(SYS_unlink, DJ_RT_ARGUMENT(path), 0, 0, 0, 0, 0);
    leave_reason(target->folder, (int)-err);
    return false;
}

void dj_rt_ring_close(void)
{
    if (dj_rt_ring)
        dj_rt_unmap(dj_rt_ring, ring_bytes);
    dj_rt_ring = NULL;
}

bool dj_rt_ring_reserve(unsigned begin, unsigned end)
{
    char *from = (char *)dj_rt_ring->base + (size_t)begin * DJ_RT_FRAME_BYTES;
    size_t bytes = (size_t)(end - begin) * DJ_RT_FRAME_BYTES;
    return dj_rt_system(SYS_madvise, DJ_RT_ARGUMENT(from), (long)bytes, MADV_POPULATE_WRITE, 0, 0, 0) == 0;
}

static long look_up(const char *path, struct stat *status)
{
    return dj_rt_system(SYS_newfstatat, AT_FDCWD, DJ_RT_ARGUMENT(path), DJ_RT_ARGUMENT(status),
                        AT_SYMLINK_NOFOLLOW, 0, 0);
}

// The program may have removed or replaced it. If the folder is not there either, it has only changed its
// root directory.
bool dj_rt_ring_is_lost(void)
{
    struct stat status = {0};
    long err = look_up(file.name, &status);
    return err ? err == -ENOENT && look_up(file.folder, &status) == 0 : status.st_ino != file.inode;
}
