// SPDX-License-Identifier: MIT
// Reads a profile in columns. Files are untrusted: lengths are checked, and memory is allocated only as
// bytes arrive.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/grow.h"
#include "base/little_endian.h"
#include "profile/columns_file.h"
#include "profile/fields.h"
#include "profile/json.h"
#include "profile/load.h"

typedef struct head {
    char name[DJ_COLUMNS_NAME_MOST + 1]; // "": the end
    unsigned version;
    uint32_t profile, lane; // lane: 0 for the profile, otherwise its number + 1
    uint64_t bytes;
} head;

typedef struct file {
    dj_context *context;
    FILE *in;
    const char *name;
    uint64_t at;    // bytes read
    uint64_t start; // of this section
    uint8_t *payload;
    size_t capacity;
    dj_profile *profile;
    size_t wanted;   // number of the wanted profile
    size_t profiles; // number of profiles so far
    bool *seen;      // by section and lane, of the wanted profile
} file;

static int damaged(file *f, const char *what)
{
    return dj_fail(f->context, DJ_ERR_INPUT, "%s: byte %" PRIu64 ": %s; the file is damaged or cut short",
                   f->name, f->start, what);
}

static int take(file *f, void *to, size_t bytes)
{
    size_t read = fread(to, 1, bytes, f->in);
    f->at += read;
    if (read == bytes)
        return DJ_OK;
    if (ferror(f->in))
        return dj_fail(f->context, DJ_ERR_IO, "%s: cannot be read", f->name);
    f->start = f->at;
    return damaged(f, "it ends here");
}

static int read_file_head(file *f)
{
    uint8_t bytes[DJ_COLUMNS_FILE_BYTES];
    int err = take(f, bytes, sizeof bytes);
    if (err)
        return err;
    if (memcmp(bytes, DJ_COLUMNS_MAGIC, DJ_COLUMNS_MAGIC_BYTES) != 0)
        return dj_fail(
            f->context, DJ_ERR_INPUT,
            "%s: byte 0: a profile in columns should begin here; the file is damaged, or is no profile",
            f->name);
    if (dj_read_le32(bytes + 8) != DJ_COLUMNS_VERSION)
        return dj_fail(f->context, DJ_ERR_INPUT,
                       "%s: unknown version %" PRIu32 " of the format; this deja reads version %d", f->name,
                       dj_read_le32(bytes + 8), DJ_COLUMNS_VERSION);
    return DJ_OK;
}

static int read_head(file *f, head *out)
{
    uint8_t bytes[DJ_COLUMNS_HEAD_BYTES + DJ_COLUMNS_NAME_MOST + 8];
    f->start = f->at;
    int err = take(f, bytes, DJ_COLUMNS_HEAD_BYTES);
    if (err)
        return err;
    size_t length = dj_read_le16(bytes + 6), all = DJ_COLUMNS_HEAD_BYTES + length;
    if (memcmp(bytes, DJ_COLUMNS_SECTION, 4) != 0 || length > DJ_COLUMNS_NAME_MOST)
        return damaged(f, "a section should begin here");
    err = take(f, bytes + DJ_COLUMNS_HEAD_BYTES, length + 8);
    if (err)
        return err;
    if (dj_read_le64(bytes + all) != XXH3_64bits(bytes, all))
        return damaged(f, "the header of a section has a wrong checksum");
    if (dj_read_le32(bytes + 16) != DJ_PACK_ZSTD)
        return damaged(f, "a section is compressed in an unknown way");
    *out = (head){.version = dj_read_le16(bytes + 4),
                  .profile = dj_read_le32(bytes + 8),
                  .lane = dj_read_le32(bytes + 12),
                  .bytes = dj_read_le64(bytes + 20)};
    memcpy(out->name, bytes + DJ_COLUMNS_HEAD_BYTES, length);
    return DJ_OK;
}

// Reads into f->payload, which grows as bytes arrive; skips them unless `keep`.
static int read_payload(file *f, uint64_t bytes, bool keep)
{
    enum { PIECE = 1 << 16 };
    uint8_t piece[4096] = {0};
    int err = DJ_OK;
    for (uint64_t done = 0; !err && done < bytes;) {
        uint64_t left = bytes - done, most = keep ? PIECE : sizeof piece;
        size_t some = (size_t)(left < most ? left : most);
        if (keep)
            err = dj_grow(f->context, "loading a profile", &f->payload, &f->capacity, (size_t)done + some, 1);
        if (!err)
            err = take(f, keep ? f->payload + done : piece, some);
        done += some;
    }
    return err;
}

static int decode(file *f, const dj_section_ops *ops, const head *h, void *value)
{
    dj_unpacker *unpacker = NULL;
    FILE *memory = fmemopen(f->payload, (size_t)h->bytes, "r");
    if (!memory)
        return dj_fail_memory(f->context, "loading a profile", 0);
    int err = dj_unpacker_create(f->context, memory, &unpacker);
    if (!err) {
        dj_unpacker_bound(unpacker, DJ_COLUMNS_RATIO);
        err = dj_columns_read(f->context, unpacker, ops->table.fields, h->version,
                              h->bytes * DJ_COLUMNS_RATIO, value);
    }
    if (!err)
        err = dj_unpack_end(unpacker, f->context);
    dj_unpacker_destroy(unpacker);
    fclose(memory);
    if (!err && ops->check)
        err = ops->check(f->context, value);
    return err ? dj_fail_within(f->context, err, "%s: byte %" PRIu64 ", section '%s'", f->name, f->start,
                                h->name)
               : DJ_OK;
}

// The header contains the number of lanes; all of them are created before anything else is read.
static int read_header(file *f, const head *h)
{
    dj_profile *profile = f->profile;
    int err = decode(f, &dj_section_header, h, profile);
    size_t count = profile->lane_count;
    profile->lane_count = 1;
    if (err)
        return err;
    if (count < 1 || count > DJ_LANES_MOST)
        return damaged(f, "a profile has 1 to 64 lanes");
    dj_lane_profile *lanes = reallocarray(profile->lanes, count, sizeof *lanes);
    if (!lanes)
        return dj_fail_memory(f->context, "a profile", 0);
    profile->lanes = lanes;
    memset(lanes + 1, 0, (count - 1) * sizeof *lanes);
    profile->lane_count = count;
    return DJ_OK;
}

static int see_once(file *f, size_t index, size_t lane, const char *name)
{
    bool *seen = &f->seen[index * (DJ_LANES_MOST + 1) + lane];
    if (*seen)
        return dj_fail(f->context, DJ_ERR_INPUT, "%s: byte %" PRIu64 ": section '%s' appears twice", f->name,
                       f->start, name);
    *seen = true;
    return DJ_OK;
}

static int read_known(file *f, const head *h, size_t index)
{
    const dj_section_ops *ops = dj_section_get(index);
    const bool whole = ops->scope == DJ_SCOPE_PROFILE, header = ops == &dj_section_header;
    if (h->version == 0 || h->version > ops->version)
        return dj_fail(f->context, DJ_ERR_INPUT,
                       "%s: byte %" PRIu64
                       ": unknown version %u of section '%s'; this deja reads versions up to %u",
                       f->name, f->start, h->version, h->name, ops->version);
    if (!header && !f->seen[0])
        return damaged(f, "a section precedes the header of its profile");
    if (whole ? h->lane != 0 : h->lane == 0 || h->lane > f->profile->lane_count)
        return damaged(f, "a section belongs to a lane that does not exist");
    int err = see_once(f, index, h->lane, h->name);
    if (!err)
        err = read_payload(f, h->bytes, true);
    if (err || header)
        return err ? err : read_header(f, h);
    void *value = NULL;
    err = whole ? dj_profile_add_section(f->context, f->profile, ops, &value)
                : dj_lane_add_section(f->context, &f->profile->lanes[h->lane - 1], ops, &value);
    return err ? err : decode(f, ops, h, value);
}

static int read_section(file *f, const head *h)
{
    if (h->profile >= f->profiles)
        f->profiles = (size_t)h->profile + 1;
    for (size_t i = 0; h->profile == f->wanted && i < dj_section_count(); i++)
        if (strcmp(dj_section_get(i)->name, h->name) == 0)
            return read_known(f, h, i);
    return read_payload(f, h->bytes, false);
}

static int read_sections(file *f)
{
    head h;
    for (;;) {
        int err = read_head(f, &h);
        if (!err && !h.name[0])
            break;
        if (!err)
            err = read_section(f, &h);
        if (err)
            return err;
    }
    f->start = f->at;
    if (fgetc(f->in) != EOF)
        return damaged(f, "the file should end here");
    if (f->wanted > 0 && f->wanted >= f->profiles)
        return dj_fail(f->context, DJ_ERR_INPUT,
                       "%s: there is no process %zu; the profile contains %zu other processes", f->name,
                       f->wanted, f->profiles ? f->profiles - 1 : 0);
    return f->seen[0] ? DJ_OK : damaged(f, "the profile has no header");
}

int dj_columns_load_process(dj_context *context, FILE *in, const char *name, size_t process,
                            dj_profile *profile)
{
    file f = {.context = context, .in = in, .name = name, .profile = profile, .wanted = process};
    f.seen = calloc(dj_section_count(), (DJ_LANES_MOST + 1) * sizeof *f.seen);
    if (!f.seen)
        return dj_fail_memory(context, "loading a profile", 0);
    int err = read_file_head(&f);
    if (!err)
        err = read_sections(&f);
    if (!err && (err = dj_profile_settle(context, profile)) != DJ_OK)
        err = dj_fail_within(context, err, "%s", name);
    free(f.payload);
    free(f.seen);
    return err;
}

int dj_profile_load_process(dj_context *context, FILE *in, const char *name, size_t process, dj_profile **out)
{
    dj_profile *profile = NULL;
    int first = ungetc(fgetc(in), in);
    int err = dj_profile_create(context, 1, &profile);
    if (!err)
        err = first == (DJ_COLUMNS_MAGIC[0] & 0xff)
                  ? dj_columns_load_process(context, in, name, process, profile)
                  : dj_json_load_process(context, in, name, process, profile);
    if (err)
        dj_profile_destroy(profile);
    else
        *out = profile;
    return err;
}

int dj_profile_load(dj_context *context, FILE *in, const char *name, dj_profile **out)
{
    return dj_profile_load_process(context, in, name, 0, out);
}
