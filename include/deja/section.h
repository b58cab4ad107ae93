// SPDX-License-Identifier: MIT
/// \file
/// Sections: the parts of a profile. A section is a plain structure that is declared once, as a
/// table of its fields. From the table it is freed, saved and loaded, as JSON and in columns
/// (docs/formats.md), and the JSON schema is made. An observer fills exactly one section.
#ifndef DEJA_SECTION_H
#define DEJA_SECTION_H

#include <deja/error.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dj_profile;
struct dj_lane_profile;
struct dj_fields_writer;
struct dj_json_reader;

enum dj_field_type {
    DJ_FIELD_END, ///< ends a table
    DJ_FIELD_U32,
    DJ_FIELD_U64,
    DJ_FIELD_I64,
    DJ_FIELD_BOOL,
    DJ_FIELD_REAL,
    DJ_FIELD_HEX,       ///< uint64_t; hexadecimal digits in JSON
    DJ_FIELD_TEXT,      ///< char *, owned; NULL is ""
    DJ_FIELD_ENUM,      ///< an enum, by its `names`
    DJ_FIELD_INDEX,     ///< uint32_t: the number of a row of the list `of` of this section
    DJ_FIELD_SKETCH,    ///< dj_sketch *, owned; NULL: none
    DJ_FIELD_HISTOGRAM, ///< dj_histogram *, owned; NULL: none
    /// dj_moments of the histogram at `histogram_at`: those that were read where `binned_at` says so.
    /// Without `binned_at` they stand in JSON alone.
    DJ_FIELD_MOMENTS,
    DJ_FIELD_OBJECT,  ///< a structure in place
    DJ_FIELD_POINTER, ///< a structure, owned; NULL: none
    DJ_FIELD_LIST,    ///< rows, owned, and how many at `count_at`
    DJ_FIELD_JSON,    ///< stands in JSON alone: what `write` makes, for readers that cannot compute it
};

enum dj_field_flag {
    DJ_FIELD_REQUIRED = 1u << 0, ///< JSON without it is refused
    DJ_FIELD_OMIT = 1u << 1,     ///< left out of JSON where it is 0, empty or NULL
    DJ_FIELD_OPTIONAL = 1u << 2, ///< an index that may be DJ_NOWHERE
    DJ_FIELD_LATER = 1u << 3,    ///< a row of cells may end before it
    DJ_FIELD_EXACT = 1u << 4,    ///< a histogram whose bins are exact whatever the user chose
    DJ_FIELD_IN_PLACE = 1u << 5, ///< a list that is an array of `most` rows within the structure
    DJ_FIELD_COUNT32 = 1u << 6,  ///< a list whose count is a uint32_t, not a size_t
    DJ_FIELD_NOT_JSON = 1u << 7, ///< stands in columns alone
    DJ_FIELD_FLAT = 1u << 8,     ///< a list that stands on one line in JSON
    DJ_FIELD_SHARED = 1u << 9,   ///< a list with the count of one that comes before it; not for JSON
};

/// How a row looks in JSON.
enum dj_row_layout {
    DJ_ROW_OBJECT,  ///< members, a line for each
    DJ_ROW_LINE,    ///< members, all on a line
    DJ_ROW_CELLS,   ///< a list of values, all on a line
    DJ_ROW_SPLICED, ///< values among those of the other rows
    DJ_ROW_CELL,    ///< its one value
};

typedef struct dj_field dj_field;

/// The fields of a structure, up to one with the type DJ_FIELD_END; at most 64.
typedef struct dj_table {
    const dj_field *fields;
    size_t bytes; ///< of the structure
    enum dj_row_layout layout;
} dj_table;

/// Most members are only for some types, and 0 or NULL otherwise.
struct dj_field {
    const char *name;
    enum dj_field_type type;
    unsigned flags;           ///< bits of dj_field_flag
    size_t offset;            ///< in the structure
    const char *about;        ///< a line for people, in the schema
    const dj_table *rows;     ///< object, pointer, list
    size_t count_at;          ///< list
    size_t most;              ///< list: rows that a file may have at most; 0: 2^32 - 2
    const char *const *names; ///< enum: NULL ends them
    const char *of;           ///< index
    size_t histogram_at;      ///< moments
    size_t binned_at;         ///< moments and histogram: a bool, set when bins wider than a value are read
    unsigned since;           ///< first version of the section that has it in columns
    /// List in place: how many rows are in use. NULL: all `most`.
    size_t (*count)(const void *row);
    /// Whether it stands in JSON; NULL: as the flags say.
    bool (*when)(const void *row);
    /// Writes it to JSON in place of the type's own way. Like `read` it keeps layouts of older files; other
    /// tables do without.
    void (*write)(const struct dj_fields_writer *writer, const dj_field *field, const void *row);
    /// Reads it from JSON in place of the type's own way.
    int (*read)(struct dj_json_reader *reader, void *row);
    const char *schema; ///< where `write` is: the JSON schema of what it writes
};

/// The beginning of a field, within its braces; further members may follow:
///
///     {DJ_FIELD(U64, "even", parity, even), .flags = DJ_FIELD_REQUIRED},
#define DJ_FIELD(type_, name_, struct_, member_)                                                             \
    .name = (name_), .type = DJ_FIELD_##type_, .offset = offsetof(struct_, member_)
/// The same for a list of rows by the table `rows_`, whose number is the size_t `count_`.
#define DJ_FIELD_ROWS(name_, struct_, member_, count_, rows_)                                                \
    DJ_FIELD(LIST, name_, struct_, member_), .rows = &(rows_), .count_at = offsetof(struct_, count_)

/// Rows that are one number (uint64_t), or one text.
extern DJ_API const dj_table dj_number_cell, dj_text_cell;

enum dj_section_scope {
    DJ_SCOPE_PROFILE, ///< once in a profile
    DJ_SCOPE_LANE,    ///< once in each lane
};

/// What is wrong with a value that was read is DJ_ERR_INPUT.
typedef struct dj_section_ops {
    const char *name;
    const char *summary;
    unsigned version; ///< of its columns, from 1 on; raised when the table changes
    enum dj_section_scope scope;
    /// The fields are members of the profile or lane in JSON; otherwise they are in an object of the
    /// section's name.
    bool spread;
    /// Its bytes: 0 when it is a part of the profile or the lane itself, always there, and offsets are
    /// those in dj_profile or dj_lane_profile.
    dj_table table;
    /// May be NULL: what the table does not know of. Called before the fields are freed.
    void (*free)(void *value);
    /// May be NULL: not possible. Adds what was learned of other accesses; for observers that keep values of
    /// the section and merge them.
    int (*merge)(dj_context *context, void *value, const void *other);
    /// May be NULL. Whether a value that was read makes sense by itself; fills in what follows from it.
    int (*check)(dj_context *context, void *value);
    /// May be NULL. Whether it fits the rest, when the whole profile was read; fills in what follows
    /// from it. `lane` is NULL for a section of the profile.
    int (*settle)(dj_context *context, struct dj_profile *profile, struct dj_lane_profile *lane, void *value);
} dj_section_ops;

/// A section that is there.
typedef struct dj_section {
    const dj_section_ops *ops;
    void *value;
} dj_section;

typedef struct dj_section_list {
    dj_section *items;
    size_t count;
} dj_section_list;

/// All known sections, in the order in which they are saved: first those of Deja.
DJ_API size_t dj_section_count(void);
DJ_API const dj_section_ops *dj_section_get(size_t index);
DJ_API const dj_section_ops *dj_section_find(const char *name);
/// Makes a section from elsewhere known, so that it is saved and loaded too. `ops` must stay. Not for
/// several threads at once. DJ_ERR_USAGE if the name is taken, or there are too many.
DJ_API int dj_section_register(dj_context *context, const dj_section_ops *ops);

/// The value of a section, NULL if the profile or lane does not have it.
DJ_API void *dj_profile_section(const struct dj_profile *profile, const dj_section_ops *ops);
DJ_API void *dj_lane_section(const struct dj_lane_profile *lane, const dj_section_ops *ops);
/// The same, and makes it where it is missing, all zero.
DJ_API int dj_profile_add_section(dj_context *context, struct dj_profile *profile, const dj_section_ops *ops,
                                  void *out);
DJ_API int dj_lane_add_section(dj_context *context, struct dj_lane_profile *lane, const dj_section_ops *ops,
                               void *out);
/// Gives a profile a value from malloc in place of the one that it has; the value is freed when this fails.
DJ_API int dj_profile_give_section(dj_context *context, struct dj_profile *profile, const dj_section_ops *ops,
                                   void *value);
DJ_API int dj_lane_give_section(dj_context *context, struct dj_lane_profile *lane, const dj_section_ops *ops,
                                void *value);
/// Takes a section out and frees it.
DJ_API void dj_profile_drop_section(struct dj_profile *profile, const dj_section_ops *ops);
DJ_API void dj_lane_drop_section(struct dj_lane_profile *lane, const dj_section_ops *ops);

/// Those of Deja.
extern DJ_API const dj_section_ops dj_section_header, dj_section_traffic, dj_section_attribution,
    dj_section_spatial, dj_section_lane, dj_section_fingerprint, dj_section_digest, dj_section_histogram,
    dj_section_time, dj_section_bytes, dj_section_keys, dj_section_strides, dj_section_simulated,
    dj_section_partitions, dj_section_windows;

#ifdef __cplusplus
}
#endif
#endif
