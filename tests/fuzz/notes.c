// SPDX-License-Identifier: MIT
// Arbitrary bytes as a program whose ELF notes are read before it is started.
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/check.h"
#include "live/elf_notes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char path[32];
    int fd = memfd_create("program", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int fault;
    unsigned found = dj_elf_notes_read(path, &fault);
    CHECK(!found || bytes >= sizeof(Elf64_Ehdr)); // everything else may be inside the ELF header
    close(fd);
    return 0;
}
