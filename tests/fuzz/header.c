// SPDX-License-Identifier: MIT
// The header of a ring, which a faulty program may have overwritten: whatever it
// contains, reads stay within the frames, and reading ends.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/check.h"
#include "live/ring.h"

enum { FRAMES = 4, FRAME_WORDS = 64, POKE_BYTES = 11 };

static const size_t file_bytes = DJ_RING_HEADER_BYTES + FRAMES * FRAME_WORDS * sizeof(uint64_t);

// One byte for the field, two for the index in it, eight for the value.
static void poke(dj_ring *ring, const uint8_t *data)
{
    uint16_t index;
    uint64_t value;
    memcpy(&index, data + 1, sizeof index);
    memcpy(&value, data + 3, sizeof value);
    switch (data[0]) {
    case 0:
        ring->header_bytes = (uint32_t)value;
        break;
    case 1:
        ring->frame_words = (uint32_t)value;
        break;
    case 2:
        ring->frames = (uint32_t)value;
        break;
    case 3:
        ring->base = value;
        break;
    case 4:
        ring->published = value;
        break;
    case 5:
        ring->state = (uint32_t)value;
        break;
    case 6:
        ring->order[index % DJ_RING_FRAMES_MOST] = (uint32_t)value;
        break;
    case 7:
        ring->used[index % DJ_RING_FRAMES_MOST] = (uint32_t)value;
        break;
    case 8:
        ring->writer[index % DJ_RING_WRITERS].cursor = ring->base + value;
        break;
    default:
        ring->version = data[0] & 1 ? (uint32_t)value : DJ_RING_VERSION;
        break;
    }
}

static void read_all(dj_ring_reader *reader, dj_context *context)
{
    enum dj_ring_found found = DJ_RING_FRAME;
    for (unsigned steps = 0; found == DJ_RING_FRAME; steps++) {
        const uint64_t *words = NULL;
        size_t count = 0;
        CHECK(steps <= DJ_RING_FRAMES_MOST + DJ_RING_WRITERS);
        if (dj_ring_next(reader, context, 0, &found, &words, &count) != DJ_OK)
            return;
        if (found != DJ_RING_FRAME)
            return;
        CHECK(words == reader->frame && count <= reader->frame_words);
        dj_ring_release(reader);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char path[] = "/dev/shm/deja-fuzz-XXXXXX";
    dj_context *context = NULL;
    dj_ring_reader reader;
    int fd = mkstemp(path);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)file_bytes) == 0);
    dj_ring *ring = mmap(NULL, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    CHECK(ring != MAP_FAILED);
    ring->magic = DJ_RING_MAGIC;
    ring->version = DJ_RING_VERSION;
    ring->header_bytes = DJ_RING_HEADER_BYTES;
    ring->frame_words = FRAME_WORDS;
    ring->frames = FRAMES;
    ring->pid = UINT32_MAX; // no such process: nothing will be written any more
    ring->base = UINT64_C(1) << 32;
    for (; bytes >= POKE_BYTES; data += POKE_BYTES, bytes -= POKE_BYTES)
        poke(ring, data);
    CHECK(dj_context_create(&context) == DJ_OK);
    if (dj_ring_open(&reader, context, path) == DJ_OK) {
        read_all(&reader, context);
        dj_ring_close(&reader);
    }
    unlink(path);
    munmap(ring, file_bytes);
    dj_context_destroy(context);
    return 0;
}
