// SPDX-License-Identifier: MIT
// The parts of an ELF file that need no library: its segments and notes. Reads a file in pieces, or bytes in
// memory. 64-bit, little-endian. The file is untrusted.
#ifndef DEJA_BASE_ELF_H
#define DEJA_BASE_ELF_H

#include <deja/error.h>

#include <elf.h>

typedef struct dj_elf_bytes {
    int fd;              // read from here if there is no `data`
    const uint8_t *data; // NULL: in the file
    uint64_t bytes;
    int *fault; // set to errno if reading the file fails; may be NULL
} dj_elf_bytes;

typedef struct dj_elf_note {
    uint32_t type;
    const char *owner; // with its final zero
    size_t owner_bytes;
    const uint8_t *content;
    size_t content_bytes;
} dj_elf_note;

// A regular file, not opened for long: false if it cannot be opened (errno), or is not regular (errno is 0).
bool dj_elf_bytes_open(dj_elf_bytes *from, const char *path);
void dj_elf_bytes_close(dj_elf_bytes *from);
bool dj_elf_bytes_read(const dj_elf_bytes *from, uint64_t offset, void *to, size_t bytes);

// False: it does not begin as an ELF file that can be read here.
bool dj_elf_read_header(const dj_elf_bytes *from, Elf64_Ehdr *header);
bool dj_elf_read_segment(const dj_elf_bytes *from, const Elf64_Ehdr *header, unsigned number,
                         Elf64_Phdr *segment);
// Calls `see` for each note of a segment of type PT_NOTE.
void dj_elf_see_notes(const dj_elf_bytes *from, const Elf64_Phdr *segment,
                      void (*see)(void *user, const dj_elf_note *note), void *user);

#endif
