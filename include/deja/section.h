// SPDX-License-Identifier: MIT
/// \file
/// Sections: the parts of a profile. A section is a plain structure that is described once, by a table of
/// its fields. The table drives freeing, saving and loading (as JSON and in columns, docs/formats.md) and
/// the JSON schema. An observer fills exactly one section.
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
    DJ_FIELD_INDEX,     ///< uint32_t: index of a row in the list `of` of this section
    DJ_FIELD_SKETCH,    ///< dj_sketch *, owned; NULL: none
    DJ_FIELD_HISTOGRAM, ///< dj_histogram *, owned; NULL: none
    /// dj_moments of the histogram at `histogram_at`: the stored ones if `binned_at` is set. Without
    /// `binned_at` they appear in JSON only.
    DJ_FIELD_MOMENTS,
    DJ_FIELD_OBJECT,  ///< a structure in place
    DJ_FIELD_POINTER, ///< a structure, owned; NULL: none
    DJ_FIELD_LIST,    ///< rows, owned; their number is at `count_at`
    DJ_FIELD_JSON,    ///< a derived value that `write` adds to JSON only, for readers that cannot compute it
};

enum dj_field_flag {
    DJ_FIELD_REQUIRED = 1u << 0, ///< JSON without it is rejected
    DJ_FIELD_OMIT = 1u << 1,     ///< omitted from JSON if 0, empty or NULL
    DJ_FIELD_OPTIONAL = 1u << 2, ///< an index that may be DJ_NOWHERE
    DJ_FIELD_LATER = 1u << 3,    ///< a row of cells may end before it
    DJ_FIELD_EXACT = 1u << 4,    ///< a histogram that always has exact bins, whatever the user chose
    DJ_FIELD_IN_PLACE = 1u << 5, ///< a list that is an array of `most` rows within the structure
    DJ_FIELD_COUNT32 = 1u << 6,  ///< a list whose count is a uint32_t, not a size_t
    DJ_FIELD_NOT_JSON = 1u << 7, ///< in columns only
    DJ_FIELD_FLAT = 1u << 8,     ///< a list on one line in JSON
    DJ_FIELD_SHARED = 1u << 9,   ///< a list that shares the count of an earlier one; not for JSON
};

/// The layout of a row in JSON.
enum dj_row_layout {
    DJ_ROW_OBJECT,  ///< members, one on each line
    DJ_ROW_LINE,    ///< members on one line
    DJ_ROW_CELLS,   ///< a list of values on one line
    DJ_ROW_SPLICED, ///< values spliced into the surrounding list
    DJ_ROW_CELL,    ///< its single value
};

typedef struct dj_field dj_field;

/// The fields of a structure, ended by one of type DJ_FIELD_END; at most 64.
typedef struct dj_table {
    const dj_field *fields;
    size_t bytes; ///< of the structure
    enum dj_row_layout layout;
} dj_table;

/// Most members apply to some types only, and are 0 or NULL otherwise.
struct dj_field {
    const char *name;
    enum dj_field_type type;
    unsigned flags;           ///< bits of dj_field_flag
    size_t offset;            ///< in the structure
    const char *about;        ///< one line of description, in the schema
    const dj_table *rows;     ///< object, pointer, list
    size_t count_at;          ///< list
    size_t most;              ///< list: maximum number of rows in a file; 0: 2^32 - 2
    const char *const *names; ///< enum: ended by NULL
    const char *of;           ///< index
    size_t histogram_at;      ///< moments
    size_t binned_at;         ///< moments and histogram: a bool, set when bins wider than one value are read
    size_t log2_at; ///< histogram: a bool, set if all bins that are read are those of DJ_BINS_LOG2; 0: none
    unsigned since; ///< first version of the section with this field in columns
    /// List in place: number of rows in use. NULL: all `most`.
    size_t (*count)(const void *row);
    /// Whether JSON contains it; NULL: as the flags say.
    bool (*when)(const void *row);
    /// Writes it to JSON instead of the default for its type. Like `read`, it exists to preserve the layout
    /// of older files; new tables do not need it.
    void (*write)(const struct dj_fields_writer *writer, const dj_field *field, const void *row);
    /// Reads it from JSON instead of the default for its type.
    int (*read)(struct dj_json_reader *reader, void *row);
    const char *schema; ///< if `write` is set: the JSON schema of what it writes
};

/// The beginning of a field, within its braces; further members may follow:
///
///     {DJ_FIELD(U64, "even", parity, even), .flags = DJ_FIELD_REQUIRED},
#define DJ_FIELD(type_, name_, struct_, member_)                                                             \
    .name = (name_), .type = DJ_FIELD_##type_, .offset = offsetof(struct_, member_)
/// The same for a list of rows of table `rows_`, whose number is the size_t `count_`.
#define DJ_FIELD_ROWS(name_, struct_, member_, count_, rows_)                                                \
    DJ_FIELD(LIST, name_, struct_, member_), .rows = &(rows_), .count_at = offsetof(struct_, count_)

/// Rows that consist of one number (uint64_t), or one text.
extern DJ_API const dj_table dj_number_cell, dj_text_cell;

enum dj_section_scope {
    DJ_SCOPE_PROFILE, ///< once in a profile
    DJ_SCOPE_LANE,    ///< once in each lane
};

/// Functions return DJ_ERR_INPUT for invalid values in files.
typedef struct dj_section_ops {
    const char *name;
    const char *summary;
    unsigned version; ///< of its columns, from 1; raised when the table changes
    enum dj_section_scope scope;
    /// The fields are direct members of the profile or lane in JSON; otherwise they are in an object with
    /// the section's name.
    bool spread;
    /// `bytes` is 0 if the section is part of dj_profile or dj_lane_profile itself: it always exists, and
    /// offsets are relative to that structure.
    dj_table table;
    /// May be NULL. Frees what the table does not describe. Called before the fields are freed.
    void (*free)(void *value);
    /// May be NULL: not supported. Adds the results for other accesses; used by observers that keep values
    /// of the section and merge them.
    int (*merge)(dj_context *context, void *value, const void *other);
    /// May be NULL. Checks a value in isolation after it was read; fills in derived values.
    int (*check)(dj_context *context, void *value);
    /// May be NULL. Checks a value against the rest of the profile after everything was read; fills in
    /// derived values. `lane` is NULL for a section of the profile.
    int (*settle)(dj_context *context, struct dj_profile *profile, struct dj_lane_profile *lane, void *value);
} dj_section_ops;

/// A section of a profile or lane.
typedef struct dj_section {
    const dj_section_ops *ops;
    void *value;
} dj_section;

typedef struct dj_section_list {
    dj_section *items;
    size_t count;
} dj_section_list;

/// All registered sections, in the order in which they are saved; those of Deja come first.
DJ_API size_t dj_section_count(void);
DJ_API const dj_section_ops *dj_section_get(size_t index);
DJ_API const dj_section_ops *dj_section_find(const char *name);
/// Registers an external section, so that it is saved and loaded too. `ops` must remain valid. Not
/// thread-safe. DJ_ERR_USAGE if the name is taken, or there are too many.
DJ_API int dj_section_register(dj_context *context, const dj_section_ops *ops);

/// The value of a section; NULL if the profile or lane does not have it.
DJ_API void *dj_profile_section(const struct dj_profile *profile, const dj_section_ops *ops);
DJ_API void *dj_lane_section(const struct dj_lane_profile *lane, const dj_section_ops *ops);
/// The same, but creates it, zeroed, if missing.
DJ_API int dj_profile_add_section(dj_context *context, struct dj_profile *profile, const dj_section_ops *ops,
                                  void *out);
DJ_API int dj_lane_add_section(dj_context *context, struct dj_lane_profile *lane, const dj_section_ops *ops,
                               void *out);
/// Replaces the value by one from malloc, which the profile then owns. The new value is freed on failure.
DJ_API int dj_profile_give_section(dj_context *context, struct dj_profile *profile, const dj_section_ops *ops,
                                   void *value);
DJ_API int dj_lane_give_section(dj_context *context, struct dj_lane_profile *lane, const dj_section_ops *ops,
                                void *value);
/// Removes and frees a section.
DJ_API void dj_profile_drop_section(struct dj_profile *profile, const dj_section_ops *ops);
DJ_API void dj_lane_drop_section(struct dj_lane_profile *lane, const dj_section_ops *ops);

/// The sections of Deja.
extern DJ_API const dj_section_ops dj_section_header, dj_section_traffic, dj_section_sizes,
    dj_section_attribution, dj_section_spatial, dj_section_lane, dj_section_fingerprint, dj_section_digest,
    dj_section_histogram, dj_section_time, dj_section_bytes, dj_section_keys, dj_section_strides,
    dj_section_simulated, dj_section_partitions, dj_section_windows, dj_section_joint, dj_section_sharing,
    dj_section_sample, dj_section_tracing, dj_section_elements, dj_section_hierarchy, dj_section_tlb;

#ifdef __cplusplus
}
#endif
#endif
