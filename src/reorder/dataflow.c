// SPDX-License-Identifier: MIT
#include "reorder/dataflow.h"

#include <stdlib.h>

#include "base/grow.h"

enum { ELEMENTS_MOST = 1 << (32 - DJ_USE_BITS) };
// Of instances with more uses, a map knows where each element is used.
enum { USES_SEARCHED = 64 };
// Repetitions are looked for among so many.
enum { AFTERS_SEARCHED = 64 };

// In the order of dj_dataflow.capacity.
enum {
    FIRST_USE,
    FIRST_AFTER,
    SHAPE,
    NEST,
    USES,
    NEXT,
    WRITER,
    AFTER,
    FIRST,
    KEYS,
    SHAPES,
};

static const char what[] = "the instances of statements";

// Of a quarter at a time: these arrays take most of the memory.
#define RESERVE(d, context, array, which, needed)                                                            \
    dj_grow_slowly(context, what, &(d)->array, &(d)->capacity[which], needed, sizeof *(d)->array)

int dj_dataflow_create(dj_dataflow *d, dj_context *context)
{
    *d = (dj_dataflow){.shape_count = 1};
    int err = dj_map_create(&d->many, context, &d->many_bytes, 0);
    if (!err)
        err = dj_triples_create(&d->places, context);
    if (!err)
        err = RESERVE(d, context, first_use, FIRST_USE, 1);
    if (!err)
        d->first_use[0] = 0;
    return err;
}

static void discard(dj_dataflow *d)
{
    dj_triples_destroy(&d->places);
    free(d->last);
    free(d->last_writer);
    d->places = (dj_triples){0};
    d->last = d->last_writer = NULL;
}

// Returns what an array has in reserve.
static void shrink(uint32_t **array, size_t count)
{
    uint32_t *smaller = realloc(*array, (count + 1) * sizeof *smaller);
    if (smaller)
        *array = smaller;
}

void dj_dataflow_end(dj_dataflow *d)
{
    discard(d);
    shrink(&d->first_use, d->count);
    if (d->first_after)
        shrink(&d->first_after, d->count);
    shrink(&d->shape, d->count);
    shrink(&d->nest, d->count);
    shrink(&d->uses, d->use_count);
    shrink(&d->next, d->use_count);
    shrink(&d->writer, d->use_count);
    shrink(&d->after, d->after_count);
    shrink(&d->first, d->element_count);
}

void dj_dataflow_forget_links(dj_dataflow *d)
{
    uint32_t **links[] = {&d->first_after, &d->nest, &d->next, &d->writer, &d->after, &d->first};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        free(*links[i]);
        *links[i] = NULL;
    }
}

void dj_dataflow_destroy(dj_dataflow *d)
{
    discard(d);
    dj_dataflow_forget_links(d);
    dj_map_destroy(&d->many);
    free(d->first_use);
    free(d->shape);
    free(d->uses);
    free(d->keys);
    free(d->shapes);
    *d = (dj_dataflow){0};
}

int dj_dataflow_begin(dj_dataflow *d, dj_context *context)
{
    if (d->count >= DJ_NONE - 1)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "more than 2^32 - 2 instances of statements");
    size_t at = d->count;
    int err = RESERVE(d, context, first_use, FIRST_USE, at + 2);
    if (!err && d->first_after)
        err = RESERVE(d, context, first_after, FIRST_AFTER, at + 2);
    if (!err)
        err = RESERVE(d, context, shape, SHAPE, at + 1);
    if (!err)
        err = RESERVE(d, context, nest, NEST, at + 1);
    if (err)
        return err;
    d->shape[at] = 0;
    d->nest[at] = DJ_NONE;
    d->first_use[at + 1] = d->first_use[at];
    if (d->first_after)
        d->first_after[at + 1] = d->first_after[at];
    d->count++;
    return DJ_OK;
}

int dj_dataflow_add_element(dj_dataflow *d, dj_context *context, uint64_t key, uint32_t *element)
{
    if (d->element_count >= ELEMENTS_MOST)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "more than 2^29 elements; choose larger blocks with -b");
    size_t at = d->element_count, old = d->capacity[FIRST];
    int err = RESERVE(d, context, first, FIRST, at + 1);
    for (int i = 0; !err && i < 2 && d->capacity[FIRST] != old; i++) {
        uint32_t **array = i ? &d->last_writer : &d->last;
        size_t capacity = old;
        err = dj_grow_slowly(context, what, array, &capacity, d->capacity[FIRST], sizeof **array);
    }
    if (!err)
        err = RESERVE(d, context, keys, KEYS, at + 1);
    if (err)
        return err;
    d->first[at] = d->last[at] = d->last_writer[at] = DJ_NONE;
    d->keys[at] = key;
    *element = (uint32_t)at;
    d->element_count++;
    return DJ_OK;
}

static uint64_t key_of(uint32_t instance, uint32_t element)
{
    return (uint64_t)instance << 32 | element;
}

// The first use of an element in an instance that uses it.
static uint32_t find_use(const dj_dataflow *d, uint32_t instance, uint32_t element)
{
    uint32_t use = d->first_use[instance];
    if (d->first_use[instance + 1] - use > USES_SEARCHED)
        return (uint32_t)dj_map_get(&d->many, key_of(instance, element)) - 1;
    while (dj_use_element(d, use) != element)
        use++;
    return use;
}

static int extend_shape(dj_dataflow *d, dj_context *context, uint32_t *shape, uint32_t place)
{
    uint32_t *longer = dj_triples_at(&d->places, context, *shape, place, 0);
    if (!longer)
        return DJ_ERR_MEMORY;
    if (*longer == DJ_TRIPLE_FREE) {
        *longer = (uint32_t)d->shape_count;
        int err = RESERVE(d, context, shapes, SHAPES, 2 * d->shape_count + 2);
        if (err)
            return err;
        d->shapes[2 * d->shape_count] = *shape;
        d->shapes[2 * d->shape_count + 1] = place;
        d->shape_count++;
    }
    *shape = *longer;
    return DJ_OK;
}

// Makes it possible to find the uses of the current instance, up to use `end`.
static int index_uses(dj_dataflow *d, dj_context *context, uint32_t instance, uint32_t end)
{
    const uint32_t count = end - d->first_use[instance];
    uint32_t use = count == USES_SEARCHED + 1 ? d->first_use[instance] : end - 1;
    for (; count > USES_SEARCHED && use < end; use++) {
        uint64_t *known = dj_map_at(&d->many, context, key_of(instance, dj_use_element(d, use)));
        if (!known)
            return DJ_ERR_MEMORY;
        *known = *known ? *known : (uint64_t)use + 1;
    }
    return DJ_OK;
}

// Links the use with those before.
static void link_use(dj_dataflow *d, uint32_t at, uint32_t instance, uint32_t element, unsigned use)
{
    const uint32_t last = d->last[element];
    d->next[at] = DJ_NONE;
    if (last == instance) {
        d->writer[at] = instance;
        d->uses[find_use(d, instance, element)] |= use & (DJ_USE_READS | DJ_USE_WRITES);
    } else {
        d->writer[at] = d->last_writer[element];
        if (last == DJ_NONE)
            d->first[element] = instance;
        else
            d->next[find_use(d, last, element)] = instance;
        d->last[element] = instance;
    }
    if (use & DJ_USE_WRITES)
        d->last_writer[element] = instance;
}

int dj_dataflow_use(dj_dataflow *d, dj_context *context, uint32_t element, unsigned use, uint32_t place)
{
    if (d->use_count >= DJ_NONE - 1)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "more than 2^32 - 2 accesses");
    const uint32_t instance = (uint32_t)d->count - 1, at = (uint32_t)d->use_count;
    int err = RESERVE(d, context, uses, USES, (size_t)at + 1);
    if (!err)
        err = RESERVE(d, context, next, NEXT, (size_t)at + 1);
    if (!err)
        err = RESERVE(d, context, writer, WRITER, (size_t)at + 1);
    if (!err)
        err = extend_shape(d, context, &d->shape[instance], place);
    if (err)
        return err;
    d->uses[at] = element << DJ_USE_BITS | use;
    err = index_uses(d, context, instance, at + 1);
    if (err)
        return err;
    link_use(d, at, instance, element, use);
    d->first_use[d->count] = (uint32_t)++d->use_count;
    return DJ_OK;
}

// Many computations have none.
static int begin_afters(dj_dataflow *d, dj_context *context)
{
    int err = RESERVE(d, context, first_after, FIRST_AFTER, d->count + 1);
    for (size_t i = 0; !err && i <= d->count; i++)
        d->first_after[i] = 0;
    return err;
}

int dj_dataflow_follow(dj_dataflow *d, dj_context *context, uint32_t before)
{
    const uint32_t instance = (uint32_t)d->count - 1;
    if (before == DJ_NONE || before == instance)
        return DJ_OK;
    int err = d->first_after ? DJ_OK : begin_afters(d, context);
    if (err)
        return err;
    size_t from = d->first_after[instance];
    if (d->after_count - from > AFTERS_SEARCHED)
        from = d->after_count - AFTERS_SEARCHED;
    for (size_t i = from; i < d->after_count; i++)
        if (d->after[i] == before)
            return DJ_OK;
    if (d->after_count >= DJ_NONE - 1)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "more than 2^32 - 2 dependences");
    err = RESERVE(d, context, after, AFTER, d->after_count + 1);
    if (err)
        return err;
    d->after[d->after_count] = before;
    d->first_after[d->count] = (uint32_t)++d->after_count;
    return DJ_OK;
}

void dj_dataflow_places(const dj_dataflow *d, uint32_t instance, uint32_t *out)
{
    uint32_t shape = d->shape[instance];
    for (uint32_t i = d->first_use[instance + 1] - d->first_use[instance]; i-- > 0;
         shape = d->shapes[2 * shape])
        out[i] = d->shapes[2 * shape + 1];
}

dj_predecessors dj_predecessors_of(const dj_dataflow *d, uint32_t instance)
{
    return (dj_predecessors){instance, d->first_use[instance], DJ_NONE,
                             d->first_after ? d->first_after[instance] : 0};
}

// The next user of the element after the writer or reader `user`; at the beginning (DJ_NONE) its first one.
static uint32_t user_after(const dj_dataflow *d, uint32_t element, uint32_t user)
{
    return user == DJ_NONE ? d->first[element] : d->next[find_use(d, user, element)];
}

uint32_t dj_predecessors_next(const dj_dataflow *d, dj_predecessors *p)
{
    if (d->first_after && p->after < d->first_after[p->instance + 1])
        return d->after[p->after++];
    while (p->use < d->first_use[p->instance + 1]) {
        const uint32_t use = p->use, element = dj_use_element(d, use), writer = d->writer[use];
        if (p->reader == DJ_NONE && !dj_use_is_repeated(d, p->instance, use)) {
            p->reader = d->uses[use] & DJ_USE_WRITES ? user_after(d, element, writer) : p->instance;
            if (writer != DJ_NONE)
                return writer;
        }
        if (p->reader != DJ_NONE && p->reader != p->instance) {
            const uint32_t reader = p->reader;
            p->reader = user_after(d, element, reader);
            return reader;
        }
        p->use++;
        p->reader = DJ_NONE;
    }
    return DJ_NONE;
}
