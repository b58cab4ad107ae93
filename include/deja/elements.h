// SPDX-License-Identifier: MIT
/// \file
/// Element maps: which parts of a data object were accessed, and how. The object is divided into at most
/// 1,024 segments of equal size. All heap blocks from one allocation site are one object, and so are all
/// activations of a local variable; their accesses are counted by offset, one block on top of the other.
#ifndef DEJA_ELEMENTS_H
#define DEJA_ELEMENTS_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    DJ_SEGMENTS_MOST = 1024,
    DJ_ELEMENT_MAPS_MOST = 256,     ///< in a profile: of the objects with most accesses
    DJ_ELEMENT_MAPS_COUNTED = 1024, ///< counted at a time
};

/// Accesses that begin in a segment.
typedef struct dj_element_segment {
    uint64_t accesses;
    uint64_t cold;
    uint64_t longer; ///< reuses with a distance of at least dj_element_maps.long_from
    uint64_t writes;
} dj_element_segment;

typedef struct dj_element_map {
    uint32_t object;          ///< index into the objects of the attribution
    uint64_t segment_bytes;   ///< a power of two
    dj_element_segment *list; ///< from the start of the object to its last accessed segment; owned
    size_t count;
} dj_element_map;

/// Section `elements`, filled by observer `elements`: by accesses, most first. Without objects of which all
/// accesses begin at the same offset.
typedef struct dj_element_maps {
    uint64_t long_from;
    /// Objects without a map because others had more accesses.
    uint64_t left_out;
    dj_element_map *maps;
    size_t count;
} dj_element_maps;

/// NULL unless requested.
DJ_API dj_element_maps *dj_profile_elements(const dj_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
