// SPDX-License-Identifier: MIT
#include "base/identity.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { PIECE_BYTES = 1 << 16 };

static void write_digits(dj_identity *out, const char *kind, const uint8_t *bytes, size_t count)
{
    int at = snprintf(out->text, sizeof out->text, "%s", kind);
    for (size_t i = 0; i < count; i++)
        at += snprintf(out->text + at, sizeof out->text - (size_t)at, "%02x", bytes[i]);
}

static void see_note(void *user, const dj_elf_note *note)
{
    dj_identity *out = user;
    if (!out->text[0] && note->type == NT_GNU_BUILD_ID && note->owner_bytes == sizeof ELF_NOTE_GNU &&
        memcmp(note->owner, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 &&
        note->content_bytes >= DJ_BUILD_ID_LEAST && note->content_bytes <= DJ_BUILD_ID_MOST)
        write_digits(out, DJ_IDENTITY_BUILD_ID, note->content, note->content_bytes);
}

static bool hash_pieces(const dj_elf_bytes *from, XXH3_state_t *state, uint8_t *piece)
{
    if (XXH3_128bits_reset(state) != XXH_OK)
        return false;
    for (uint64_t at = 0; at < from->bytes; at += PIECE_BYTES) {
        size_t bytes = from->bytes - at < PIECE_BYTES ? (size_t)(from->bytes - at) : PIECE_BYTES;
        if (!dj_elf_bytes_read(from, at, piece, bytes) || XXH3_128bits_update(state, piece, bytes) != XXH_OK)
            return false;
    }
    return true;
}

static void hash_contents(const dj_elf_bytes *from, dj_identity *out)
{
    XXH3_state_t *state = XXH3_createState();
    uint8_t *piece = malloc(PIECE_BYTES);
    if (state && piece && hash_pieces(from, state, piece)) {
        XXH128_canonical_t digest;
        XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(state));
        write_digits(out, DJ_IDENTITY_HASH, digest.digest, sizeof digest.digest);
    }
    free(piece);
    XXH3_freeState(state);
}

void dj_identity_read(const dj_elf_bytes *from, dj_identity *out)
{
    char magic[SELFMAG];
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    out->text[0] = '\0';
    if (!dj_elf_bytes_read(from, 0, magic, SELFMAG) || memcmp(magic, ELFMAG, SELFMAG) != 0)
        return;
    if (dj_elf_read_header(from, &header))
        for (unsigned i = 0; i < header.e_phnum; i++)
            if (dj_elf_read_segment(from, &header, i, &segment))
                dj_elf_see_notes(from, &segment, see_note, out);
    if (!out->text[0])
        hash_contents(from, out);
}

int dj_identity_read_file(const char *path, dj_identity *out)
{
    dj_elf_bytes file;
    int fault = 0;
    out->text[0] = '\0';
    if (!dj_elf_bytes_open(&file, path))
        return dj_is_wrong_path(errno) ? 0 : errno;
    file.fault = &fault;
    dj_identity_read(&file, out);
    dj_elf_bytes_close(&file);
    return fault;
}

const char *dj_identity_build_id(const char *identity)
{
    size_t kind = strlen(DJ_IDENTITY_BUILD_ID);
    if (strncmp(identity, DJ_IDENTITY_BUILD_ID, kind) != 0)
        return NULL;
    size_t digits = strspn(identity + kind, "0123456789abcdef");
    return identity[kind + digits] == '\0' && digits % 2 == 0 && digits >= 2 * DJ_BUILD_ID_LEAST &&
                   digits <= 2 * DJ_BUILD_ID_MOST
               ? identity + kind
               : NULL;
}
