// SPDX-License-Identifier: MIT
#include "live/elf_notes.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS_MOST = 256, NOTES_MOST = 1 << 16, TYPES_MOST = 32 };

static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
    return offset < INT64_MAX - bytes && pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

static size_t pad(size_t bytes, size_t align)
{
    return (bytes + align - 1) & ~(align - 1);
}

static unsigned scan(const char *notes, size_t bytes, size_t align)
{
    unsigned found = 0;
    Elf64_Nhdr head;
    for (size_t at = 0; bytes - at >= sizeof head;) {
        memcpy(&head, notes + at, sizeof head);
        at += sizeof head;
        if (head.n_namesz > bytes - at)
            break;
        bool ours = head.n_namesz == sizeof DJ_NOTE_OWNER &&
                    memcmp(notes + at, DJ_NOTE_OWNER, sizeof DJ_NOTE_OWNER) == 0;
        if (ours && head.n_type < TYPES_MOST)
            found |= 1u << head.n_type;
        size_t next = pad(pad(at + head.n_namesz, align) + head.n_descsz, align);
        if (next > bytes)
            break;
        at = next;
    }
    return found;
}

static unsigned read_segment(int fd, const Elf64_Phdr *segment)
{
    if (segment->p_type != PT_NOTE || segment->p_filesz > NOTES_MOST)
        return 0;
    size_t bytes = (size_t)segment->p_filesz;
    char notes[NOTES_MOST]; // not allocated: out of memory would look like a program without notes
    return read_at(fd, notes, bytes, segment->p_offset) ? scan(notes, bytes, segment->p_align == 8 ? 8 : 4)
                                                        : 0;
}

unsigned dj_elf_notes_read(const char *path)
{
    Elf64_Ehdr elf;
    Elf64_Phdr segment;
    unsigned found = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && read_at(fd, &elf, sizeof elf, 0) && memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0 &&
                elf.e_ident[EI_CLASS] == ELFCLASS64 && elf.e_ident[EI_DATA] == ELFDATA2LSB &&
                elf.e_phentsize == sizeof segment && elf.e_phnum <= SEGMENTS_MOST;
    for (uint64_t i = 0; good && i < elf.e_phnum; i++)
        if (read_at(fd, &segment, sizeof segment, elf.e_phoff + i * sizeof segment))
            found |= segment.p_type == PT_INTERP ? 1u << DJ_NOTE_LOADS : read_segment(fd, &segment);
    if (fd >= 0)
        close(fd);
    return found;
}
