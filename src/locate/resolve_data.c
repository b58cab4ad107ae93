// SPDX-License-Identifier: MIT
// Names of data: variables, heap blocks by allocation site, elements.
#include "base/file.h"
#include "locate/resolve.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static int set(dj_context *context, char **out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(out, format, arguments);
    va_end(arguments);
    if (length >= 0)
        return DJ_OK;
    *out = NULL;
    return dj_fail_memory(context, "a name", 0);
}

static const char *function_name(const dj_resolver *r, uint32_t function)
{
    return function && r->symbols ? dj_symbols_function_info(r->symbols, function)->name : "";
}

static int name_variable(dj_resolver *r, dj_context *context, const dj_object_id *object, dj_object_row *row)
{
    const dj_variable_info *v = dj_symbols_variable_info(r->symbols, object->variable);
    row->line = v->line;
    row->bytes = v->bytes;
    row->blocks = 1;
    int err = dj_resolve_file(r, context, v->file, &row->file);
    if (!err)
        err = set(context, &row->type, "%s", v->type);
    if (err)
        return err;
    const char *in = function_name(r, v->function ? v->function : object->function);
    return object->kind == DJ_OBJECT_LOCAL && in[0] ? set(context, &row->name, "%s in %s", v->name, in)
                                                    : set(context, &row->name, "%s", v->name);
}

// Functions that get memory from the system for an allocator.
static bool gets_memory(const char *function)
{
    static const char *const words[] = {"alloc", "arena", "mmap", "morecore", "new_heap"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(function, words[i]))
            return true;
    return false;
}

// Library headers, and functions whose purpose is allocation: inlined ones, and of mapped memory all.
static bool is_beside_the_point(const dj_code *code, uint32_t frame, bool mapped)
{
    const char *path = code->frames[frame].file;
    return strncmp(path, "/usr/include/", 13) == 0 || strncmp(path, "/usr/lib/", 9) == 0 ||
           (mapped ? gets_memory(code->frames[frame].function)
                   : frame + 1 < code->frame_count && strcasestr(code->frames[frame].function, "alloc"));
}

// What runs before the first function of the program or of a thread. It says nothing about its data.
static bool is_start(const char *function)
{
    static const char *const starts[] = {"_start", "(below main)", "start_thread", "clone", "clone3"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strcmp(function, starts[i]) == 0)
            return true;
    return strncmp(function, "__libc_start", strlen("__libc_start")) == 0;
}

// The innermost line written by the user: of the call, of what it was inlined into, or of a call further
// out; otherwise the first known line.
// `lost` is set to the first call in a module whose file is not there: lines further out would mislead.
static bool find_allocation(const dj_resolver *r, dj_context *context, const dj_object_id *object,
                            dj_code_frame *out, const dj_site_id **lost)
{
    const bool mapped = object->kind == DJ_OBJECT_MAPPED;
    uint32_t site = object->site, node = object->cct_node;
    bool found = false;
    *lost = NULL;
    while (r->symbols && site < r->located->site_count) {
        const dj_site_id *id = &r->located->sites[site];
        dj_code code;
        if (id->module != DJ_NOWHERE && dj_module_is_lost(&r->out->modules[id->module])) {
            *lost = id;
            return false;
        }
        if (id->module != DJ_NOWHERE &&
            dj_symbols_code(r->symbols, context, id->module, id->offset, &code) == DJ_OK) {
            if (is_start(code.frames[code.frame_count - 1].function))
                break;
            for (uint32_t i = 0; i < code.frame_count; i++) {
                bool beside = is_beside_the_point(&code, i, mapped);
                if (!code.frames[i].line || (found && beside))
                    continue;
                *out = code.frames[i];
                found = true;
                if (!beside)
                    return true;
            }
        }
        if (node >= r->located->cct_count || r->located->cct[node].parent == DJ_NOWHERE)
            break;
        site = r->located->cct[node].call_site;
        node = r->located->cct[node].parent;
    }
    return found;
}

// The pointer that the blocks of an allocation are stored in; 0: unknown.
static uint32_t pointer_of(const dj_resolver *r, dj_context *context, const dj_object_id *object)
{
    if (!r->symbols || object->site >= r->located->site_count)
        return 0;
    const dj_site_id *site = &r->located->sites[object->site];
    return site->module == DJ_NOWHERE ? 0
                                      : dj_symbols_pointer(r->symbols, context, site->module, site->offset);
}

// The name of the blocks: that of the pointer, or of what it points to if only a library or the language
// chose the pointer's name ("__p", "this").
static int name_blocks(dj_context *context, const dj_variable_info *pointer, char **out)
{
    if (strcmp(pointer->name, "this") != 0 && strncmp(pointer->name, "__", 2) != 0)
        return set(context, out, " %s", pointer->name);
    const char *type = pointer->type;
    size_t length = strlen(type);
    while (strncmp(type, "const ", 6) == 0) {
        type += 6;
        length -= 6;
    }
    while (length > 0 && (type[length - 1] == '*' || type[length - 1] == ' '))
        length--;
    bool known = length > 0 && !(length == 4 && strncmp(type, "void", 4) == 0);
    return set(context, out, "%s%.*s", known ? " " : "", known ? (int)length : 0, type);
}

// The call that allocates the blocks; NULL: unknown.
static const dj_site_id *find_call(const dj_resolver *r, const dj_object_id *object)
{
    const dj_site_id *call = object->site < r->located->site_count ? &r->located->sites[object->site] : NULL;
    return call && call->module < r->located->module_count ? call : NULL;
}

static int name_heap(dj_resolver *r, dj_context *context, const dj_object_id *object, dj_object_row *row)
{
    const char *what = object->kind == DJ_OBJECT_MAPPED ? "mmap" : "heap";
    const char *caller = function_name(r, r->located->cct[object->cct_node].function);
    row->bytes = object->bytes;
    row->blocks = object->blocks;
    if (object->name)
        return set(context, &row->name, "%s", object->name);
    uint32_t pointer = pointer_of(r, context, object);
    char *name = NULL;
    int err = DJ_OK;
    if (pointer) {
        const dj_variable_info *held = dj_symbols_variable_info(r->symbols, pointer);
        err = set(context, &row->type, "%s", held->type);
        if (!err)
            err = name_blocks(context, held, &name);
    }
    const char *called = name ? name : "";
    dj_code_frame at;
    const dj_site_id *lost = NULL, *call = find_call(r, object);
    if (!err && find_allocation(r, context, object, &at, &lost)) {
        row->line = at.line;
        err = dj_resolve_file(r, context, at.file, &row->file);
        if (!err)
            err = set(context, &row->name, "%s%s (%s:%u)", what, called, dj_file_name(at.file), at.line);
    } else if (!err && lost) {
        err = set(context, &row->name, "%s%s (0x%" PRIx64 " in %s)", what, called, lost->offset,
                  dj_file_name(r->out->modules[lost->module].path));
    } else if (!err && call && strncmp(caller, "0x", 2) == 0) { // a function without a name
        err = set(context, &row->name, "%s%s (0x%" PRIx64 " in %s)", what, called, call->offset,
                  dj_file_name(r->located->modules[call->module].path));
    } else if (!err) {
        err = caller[0] ? set(context, &row->name, "%s%s of %s", what, called, caller)
                        : set(context, &row->name, "%s%s", what, called);
    }
    free(name);
    return err;
}

static int name_object(dj_resolver *r, dj_context *context, const dj_object_id *object, dj_object_row *row)
{
    const char *in;
    switch (object->kind) {
    case DJ_OBJECT_GLOBAL:
    case DJ_OBJECT_LOCAL:
        return name_variable(r, context, object, row);
    case DJ_OBJECT_HEAP:
    case DJ_OBJECT_MAPPED:
        return name_heap(r, context, object, row);
    case DJ_OBJECT_FRAME:
        in = function_name(r, object->function);
        return in[0] ? set(context, &row->name, "stack of %s", in) : set(context, &row->name, "stack");
    case DJ_OBJECT_MODULE:
        return set(context, &row->name, "data of %s", dj_file_name(r->located->modules[object->module].path));
    case DJ_OBJECT_UNKNOWN:
        break;
    }
    return set(context, &row->name, object->in_heap ? "heap outside of blocks" : "unknown memory");
}

int dj_resolve_object(dj_resolver *r, dj_context *context, const dj_object_id *object,
                      const uint32_t *contexts, dj_object_row *row)
{
    row->kind = object->kind;
    row->file = DJ_NOWHERE;
    bool allocated = object->kind == DJ_OBJECT_HEAP || object->kind == DJ_OBJECT_MAPPED;
    uint32_t node = allocated ? object->cct_node : DJ_NOWHERE;
    while (node != DJ_NOWHERE && contexts[node] == DJ_NOWHERE)
        node = r->located->cct[node].parent;
    row->cct_node = node != DJ_NOWHERE ? contexts[node] : DJ_NOWHERE;
    int err = name_object(r, context, object, row);
    if (!err && !row->type)
        err = set(context, &row->type, "%s", "");
    return err;
}

// The variable that describes the elements of an object; 0: none.
static uint32_t variable_of(const dj_resolver *r, dj_context *context, const dj_object_id *object)
{
    if (object->kind == DJ_OBJECT_HEAP || object->kind == DJ_OBJECT_MAPPED)
        return pointer_of(r, context, object);
    return object->kind == DJ_OBJECT_GLOBAL || object->kind == DJ_OBJECT_LOCAL ? object->variable : 0;
}

// The offset of an address in a global variable; false: it is outside.
static bool find_in_global(const dj_resolver *r, const dj_object_id *object, uint64_t address,
                           uint64_t *offset)
{
    uint64_t load = r->located->modules[object->module].load;
    dj_extent extent;
    if (address < load || !dj_symbols_global(r->symbols, object->module, address - load, &extent))
        return false;
    *offset = address - load - (uint64_t)extent.lo;
    return true;
}

// The pattern of the elements of a place, and an example.
static void ask_element(const dj_resolver *r, dj_context *context, uint32_t id, const dj_place_row *row,
                        dj_element_query *pattern, dj_element_query *example)
{
    const dj_object_id *object = &r->located->objects[dj_place_get(&r->located->places, id)->object];
    uint32_t variable = variable_of(r, context, object);
    uint64_t offset = r->located->place_offsets[id];
    *pattern = (dj_element_query){.variable = variable, .offset = offset, .any_index = true};
    if (variable && object->kind == DJ_OBJECT_GLOBAL)
        find_in_global(r, object, row->address, &offset);
    *example = (dj_element_query){.variable = variable, .offset = offset};
}

// Many queries at once are faster.
enum { BATCH = 1024 };

typedef struct element_batch {
    dj_element_query queries[BATCH];
    char **names[BATCH]; // where the answers go
    char text[BATCH][DJ_ELEMENT_CAPACITY];
    size_t count;
} element_batch;

static int name_batch(const dj_resolver *r, dj_context *context, element_batch *batch)
{
    int err = DJ_OK;
    if (batch->count > 0)
        dj_symbols_elements(r->symbols, batch->queries, batch->count, batch->text);
    for (size_t i = 0; !err && i < batch->count; i++)
        err = set(context, batch->names[i], "%s", batch->text[i]);
    batch->count = 0;
    return err;
}

static int add_names(const dj_resolver *r, dj_context *context, uint32_t place, dj_place_row *row,
                     element_batch *batch)
{
    dj_element_query *queries = &batch->queries[batch->count];
    ask_element(r, context, place, row, &queries[0], &queries[1]);
    if (!r->symbols || queries[0].variable == 0) {
        int err = set(context, &row->element, "%s", "");
        return err ? err : set(context, &row->example, "%s", "");
    }
    batch->names[batch->count] = &row->element;
    batch->names[batch->count + 1] = &row->example;
    batch->count += 2;
    return batch->count == BATCH ? name_batch(r, context, batch) : DJ_OK;
}

int dj_resolve_elements(dj_resolver *r, dj_context *context, const uint32_t *moved, size_t count)
{
    element_batch *batch = malloc(sizeof *batch);
    if (!batch)
        return dj_fail_memory(context, "names of elements", sizeof *batch);
    batch->count = 0;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++)
        if (moved[i] != DJ_NOWHERE)
            err = add_names(r, context, (uint32_t)i, &r->out->places[moved[i]], batch);
    if (!err)
        err = name_batch(r, context, batch);
    free(batch);
    return err;
}

// Asks for the element at an address that a place accessed, which is unknown if the object is in several
// places of memory.
static int add_name_at(const dj_resolver *r, dj_context *context, uint32_t place, uint64_t address,
                       element_batch *batch, char **out)
{
    const dj_object_id *object = &r->located->objects[dj_place_get(&r->located->places, place)->object];
    const bool one_block = (object->kind == DJ_OBJECT_HEAP || object->kind == DJ_OBJECT_MAPPED) &&
                           object->blocks == 1 && address - object->start < object->bytes;
    dj_element_query query = {.variable = r->symbols ? variable_of(r, context, object) : 0,
                              .offset = address - object->start};
    if (!query.variable || !(one_block || (object->kind == DJ_OBJECT_GLOBAL &&
                                           find_in_global(r, object, address, &query.offset))))
        return set(context, out, "%s", "");
    batch->queries[batch->count] = query;
    batch->names[batch->count++] = out;
    return batch->count == BATCH ? name_batch(r, context, batch) : DJ_OK;
}

int dj_resolve_invalidations(dj_resolver *r, dj_context *context)
{
    element_batch *batch = malloc(sizeof *batch);
    if (!batch)
        return dj_fail_memory(context, "names of elements", sizeof *batch);
    batch->count = 0;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < r->out->invalidation_count; i++) {
        dj_invalidation_row *row = &r->out->invalidations[i];
        err = add_name_at(r, context, row->from, row->written_at, batch, &row->written);
        if (!err)
            err = add_name_at(r, context, row->to, row->missed_at, batch, &row->missed);
    }
    if (!err)
        err = name_batch(r, context, batch);
    free(batch);
    return err;
}
