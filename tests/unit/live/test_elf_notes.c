// SPDX-License-Identifier: MIT
// Notes in program files, valid and malformed ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/elf_notes.h"

enum { ROOM = 512, NOTES_AT = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) };

typedef union file {
    struct {
        Elf64_Ehdr elf;
        Elf64_Phdr segment;
        char notes[ROOM];
    };
    char bytes[NOTES_AT + ROOM];
} file;

static file begin(size_t align)
{
    file f;
    memset(&f, 0, sizeof f);
    memcpy(f.elf.e_ident, ELFMAG, SELFMAG);
    f.elf.e_ident[EI_CLASS] = ELFCLASS64;
    f.elf.e_ident[EI_DATA] = ELFDATA2LSB;
    f.elf.e_phoff = sizeof(Elf64_Ehdr);
    f.elf.e_phentsize = sizeof(Elf64_Phdr);
    f.elf.e_phnum = 1;
    f.segment = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = NOTES_AT, .p_align = align};
    return f;
}

static void add(file *f, const char *owner, uint32_t type, uint32_t described)
{
    size_t at = f->segment.p_filesz, align = f->segment.p_align;
    Elf64_Nhdr head = {(uint32_t)strlen(owner) + 1, described, type};
    memcpy(f->notes + at, &head, sizeof head);
    memcpy(f->notes + at + sizeof head, owner, strlen(owner) + 1);
    at = (at + sizeof head + head.n_namesz + align - 1) / align * align;
    f->segment.p_filesz = (at + described + align - 1) / align * align;
}

static unsigned notes_of(const file *f, size_t bytes)
{
    char path[] = "/tmp/deja-notes-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, f->bytes, bytes), bytes);
    close(fd);
    int fault;
    unsigned notes = dj_elf_notes_read(path, &fault);
    assert_int_equal(fault, 0);
    unlink(path);
    return notes;
}

static void notes_are_found_among_others(void **state)
{
    (void)state;
    for (size_t align = 4; align <= 8; align += 4) {
        file f = begin(align);
        add(&f, "GNU", 1, 20);
        assert_int_equal(notes_of(&f, sizeof f), 0);
        add(&f, "Deja", DJ_NOTE_ANNOTATED, 3);
        assert_int_equal(notes_of(&f, sizeof f), 1 << DJ_NOTE_ANNOTATED);
        add(&f, "Dejavu", 3, 0);
        add(&f, "Deja", DJ_NOTE_INSTRUMENTED, 0);
        assert_int_equal(notes_of(&f, sizeof f), 1 << DJ_NOTE_ANNOTATED | 1 << DJ_NOTE_INSTRUMENTED);
    }
}

static void other_files_have_no_notes(void **state)
{
    (void)state;
    file f = begin(4);
    add(&f, "Deja", 1, 0);
    int fault;
    assert_int_equal(dj_elf_notes_read("/nowhere/at/all", &fault), 0);
    assert_int_equal(fault, ENOENT);
    assert_int_equal(dj_elf_notes_read("/tmp", &fault), 0);
    assert_int_equal(fault, 0);
    for (size_t bytes = 0; bytes < NOTES_AT + f.segment.p_filesz; bytes++)
        assert_int_equal(notes_of(&f, bytes), 0);
    f.elf.e_ident[EI_CLASS] = ELFCLASS32;
    assert_int_equal(notes_of(&f, sizeof f), 0);
}

static void out_of_range_numbers_are_ignored(void **state)
{
    (void)state;
    static const uint64_t lies[] = {UINT64_MAX, INT64_MAX, UINT32_MAX, 1 << 16, 1 << 20};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        file f = begin(4);
        add(&f, "Deja", 1, 0);
        file bad = f;
        bad.elf.e_phoff = lies[i];
        assert_int_equal(notes_of(&bad, sizeof bad), 0);
        bad = f;
        bad.segment.p_offset = lies[i];
        assert_int_equal(notes_of(&bad, sizeof bad), 0);
        bad = f;
        bad.segment.p_filesz = lies[i];
        assert_int_equal(notes_of(&bad, sizeof bad), 0);
        bad = f;
        bad.segment.p_align = lies[i];
        assert_int_equal(notes_of(&bad, sizeof bad), 1 << 1);
        bad = f;
        bad.elf.e_phnum = (uint16_t)lies[i];
        (void)notes_of(&bad, sizeof bad);
        // The lengths of the first note hide the second.
        add(&f, "Deja", 2, 0);
        for (size_t field = 0; field < 2; field++) {
            bad = f;
            uint32_t length = (uint32_t)lies[i];
            memcpy(bad.notes + field * sizeof length, &length, sizeof length);
            assert_int_equal(notes_of(&bad, sizeof bad) & 1 << 2, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_are_found_among_others),
        cmocka_unit_test(other_files_have_no_notes),
        cmocka_unit_test(out_of_range_numbers_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
