// SPDX-License-Identifier: MIT
#include "live/elf_notes.h"

#include <errno.h>
#include <string.h>

#include "base/elf.h"

enum { TYPES_MOST = 32 };

static void see_note(void *user, const dj_elf_note *note)
{
    unsigned *found = user;
    bool ours = note->owner_bytes == sizeof DJ_NOTE_OWNER &&
                memcmp(note->owner, DJ_NOTE_OWNER, sizeof DJ_NOTE_OWNER) == 0;
    if (ours && note->type < TYPES_MOST)
        *found |= 1u << note->type;
}

unsigned dj_elf_notes_read(const char *path, int *fault)
{
    dj_elf_bytes file;
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    unsigned found = 0;
    *fault = 0;
    if (!dj_elf_bytes_open(&file, path)) {
        *fault = errno;
        return 0;
    }
    file.fault = fault;
    bool good = dj_elf_read_header(&file, &header);
    for (unsigned i = 0; good && i < header.e_phnum; i++) {
        if (!dj_elf_read_segment(&file, &header, i, &segment))
            continue;
        if (segment.p_type == PT_INTERP)
            found |= 1u << DJ_NOTE_LOADS;
        dj_elf_see_notes(&file, &segment, see_note, &found);
    }
    dj_elf_bytes_close(&file);
    return found;
}
