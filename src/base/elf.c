// SPDX-License-Identifier: MIT
#include "base/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENTS_MOST = 256, NOTES_MOST = 1 << 16 };

bool dj_elf_bytes_open(dj_elf_bytes *from, const char *path)
{
    struct stat status;
    *from = (dj_elf_bytes){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (from->fd < 0)
        return false;
    if (fstat(from->fd, &status) == 0 && S_ISREG(status.st_mode)) {
        from->bytes = (uint64_t)status.st_size;
        return true;
    }
    dj_elf_bytes_close(from);
    errno = 0;
    return false;
}

void dj_elf_bytes_close(dj_elf_bytes *from)
{
    if (from->fd >= 0)
        close(from->fd);
    *from = (dj_elf_bytes){.fd = -1};
}

static bool read_file(const dj_elf_bytes *from, uint64_t offset, uint8_t *to, size_t bytes)
{
    while (bytes > 0) {
        ssize_t got = pread(from->fd, to, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && from->fault)
            *from->fault = errno;
        if (got <= 0)
            return false;
        offset += (uint64_t)got;
        to += got;
        bytes -= (size_t)got;
    }
    return true;
}

bool dj_elf_bytes_read(const dj_elf_bytes *from, uint64_t offset, void *to, size_t bytes)
{
    if (offset > from->bytes || bytes > from->bytes - offset)
        return false;
    if (!from->data)
        return read_file(from, offset, to, bytes);
    memcpy(to, from->data + offset, bytes);
    return true;
}

bool dj_elf_read_header(const dj_elf_bytes *from, Elf64_Ehdr *header)
{
    return dj_elf_bytes_read(from, 0, header, sizeof *header) &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_phentsize == sizeof(Elf64_Phdr) &&
           header->e_phnum <= SEGMENTS_MOST;
}

bool dj_elf_read_segment(const dj_elf_bytes *from, const Elf64_Ehdr *header, unsigned number,
                         Elf64_Phdr *segment)
{
    uint64_t offset = (uint64_t)number * sizeof *segment;
    return number < header->e_phnum && offset <= UINT64_MAX - header->e_phoff &&
           dj_elf_bytes_read(from, header->e_phoff + offset, segment, sizeof *segment);
}

static size_t pad(size_t bytes, size_t align)
{
    return (bytes + align - 1) & ~(align - 1);
}

static void scan(const uint8_t *notes, size_t bytes, size_t align,
                 void (*see)(void *user, const dj_elf_note *note), void *user)
{
    Elf64_Nhdr head;
    for (size_t at = 0; bytes - at >= sizeof head;) {
        memcpy(&head, notes + at, sizeof head);
        at += sizeof head;
        size_t content = pad(at + head.n_namesz, align);
        if (content > bytes || head.n_descsz > bytes - content)
            break;
        see(user, &(dj_elf_note){head.n_type, (const char *)notes + at, head.n_namesz, notes + content,
                                 head.n_descsz});
        at = pad(content + head.n_descsz, align);
        if (at > bytes)
            break;
    }
}

void dj_elf_see_notes(const dj_elf_bytes *from, const Elf64_Phdr *segment,
                      void (*see)(void *user, const dj_elf_note *note), void *user)
{
    if (segment->p_type != PT_NOTE || segment->p_filesz > NOTES_MOST)
        return;
    size_t bytes = (size_t)segment->p_filesz;
    uint8_t notes[NOTES_MOST]; // not allocated: out of memory would look like a program without notes
    if (dj_elf_bytes_read(from, segment->p_offset, notes, bytes))
        scan(notes, bytes, segment->p_align == 8 ? 8 : 4, see, user);
}
