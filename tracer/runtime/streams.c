// SPDX-License-Identifier: MIT
// stdio streams copy between the memory of the program and their buffers, within the C library. What was
// copied is derived afterwards from the stream's pointers: first up to the old end of the buffer, then, after
// what the kernel copies directly, from the start of the buffer.
#include <stdio.h>
#include <string.h>

#include "copies.h"
#include "wrap.h"

#undef fread_unlocked
#undef fwrite_unlocked

typedef struct window {
    char *at, *end;
} window;

static window readable(const FILE *stream)
{
    return (window){stream->_IO_read_ptr, stream->_IO_read_end};
}

static window writable(const FILE *stream)
{
    // A line buffer claims to be full, so that each character is checked.
    char *end = stream->_IO_write_end > stream->_IO_write_ptr ? stream->_IO_write_end : stream->_IO_buf_end;
    return (window){stream->_IO_write_ptr, end};
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Recorded as calls of memcpy by the caller of the stream function.
static void record_copies(uint64_t pc, char *memory, size_t bytes, window before, window after, bool reads)
{
    size_t first = before.at && before.end > before.at ? least(bytes, (size_t)(before.end - before.at)) : 0;
    size_t last = after.at && after.end > after.at ? least(bytes - first, (size_t)(after.end - after.at)) : 0;
    char *rest = memory + bytes - last;
    dj_rt_record_copy(pc, reads ? memory : before.at, reads ? before.at : memory, first);
    dj_rt_record_copy(pc, reads ? rest : after.at, reads ? after.at : rest, last);
}

static void record_read(uint64_t pc, const void *memory, size_t bytes, window before, const FILE *stream)
{
    record_copies(pc, (char *)(uintptr_t)memory, bytes, before,
                  (window){stream->_IO_read_base, stream->_IO_read_ptr}, true);
}

static void record_written(uint64_t pc, const void *memory, size_t bytes, window before, const FILE *stream)
{
    record_copies(pc, (char *)(uintptr_t)memory, bytes, before,
                  (window){stream->_IO_write_base, stream->_IO_write_ptr}, false);
}

#define READ(name, parameters, arguments)                                                                    \
    DJ_RT_WRAP(name);                                                                                        \
    DJ_RT_EXPORT size_t DJ_RT_NAME(name) parameters                                                          \
    {                                                                                                        \
        window before = readable(stream);                                                                    \
        dj_rt_copies_begin();                                                                                \
        size_t done = DJ_RT_REAL(name) arguments;                                                            \
        dj_rt_copies_end();                                                                                  \
        record_read(DJ_RT_CALLER(), memory, done *bytes, before, stream);                                    \
        return done;                                                                                         \
    }

extern size_t __fread_chk(void *memory, size_t capacity, size_t bytes, size_t count, FILE *stream);
extern size_t __fread_unlocked_chk(void *memory, size_t capacity, size_t bytes, size_t count, FILE *stream);
READ(fread, (void *memory, size_t bytes, size_t count, FILE *stream), (memory, bytes, count, stream))
READ(fread_unlocked, (void *memory, size_t bytes, size_t count, FILE *stream), (memory, bytes, count, stream))
READ(__fread_chk, (void *memory, size_t capacity, size_t bytes, size_t count, FILE *stream),
     (memory, capacity, bytes, count, stream))
READ(__fread_unlocked_chk, (void *memory, size_t capacity, size_t bytes, size_t count, FILE *stream),
     (memory, capacity, bytes, count, stream))

#define WRITE(name)                                                                                          \
    DJ_RT_WRAP(name);                                                                                        \
    DJ_RT_EXPORT size_t DJ_RT_NAME(name)(const void *memory, size_t bytes, size_t count, FILE *stream)       \
    {                                                                                                        \
        window before = writable(stream);                                                                    \
        dj_rt_copies_begin();                                                                                \
        size_t done = DJ_RT_REAL(name)(memory, bytes, count, stream);                                        \
        dj_rt_copies_end();                                                                                  \
        record_written(DJ_RT_CALLER(), memory, done *bytes, before, stream);                                 \
        return done;                                                                                         \
    }
WRITE(fwrite)
WRITE(fwrite_unlocked)

#define GET_LINE(name, parameters, arguments)                                                                \
    DJ_RT_WRAP(name);                                                                                        \
    DJ_RT_EXPORT char *DJ_RT_NAME(name) parameters                                                           \
    {                                                                                                        \
        window before = readable(stream);                                                                    \
        dj_rt_copies_begin();                                                                                \
        char *done = DJ_RT_REAL(name) arguments;                                                             \
        dj_rt_copies_end();                                                                                  \
        if (done && dj_rt_is_traced())                                                                       \
            record_read(DJ_RT_CALLER(), text, strlen(text), before, stream);                                 \
        return done;                                                                                         \
    }
extern char *__fgets_chk(char *text, size_t capacity, int bytes, FILE *stream);
GET_LINE(fgets, (char *text, int bytes, FILE *stream), (text, bytes, stream))
GET_LINE(__fgets_chk, (char *text, size_t capacity, int bytes, FILE *stream), (text, capacity, bytes, stream))

DJ_RT_WRAP(fputs);
DJ_RT_EXPORT int DJ_RT_NAME(fputs)(const char *text, FILE *stream)
{
    window before = writable(stream);
    dj_rt_copies_begin();
    int done = DJ_RT_REAL(fputs)(text, stream);
    dj_rt_copies_end();
    if (done >= 0 && dj_rt_is_traced())
        record_written(DJ_RT_CALLER(), text, strlen(text), before, stream);
    return done;
}
