// SPDX-License-Identifier: MIT
// Names of elements from the helper. Many places have the same one, which is asked for only once.
#include "symbols/helper/remote.h"

#include <xxhash.h>

#include "symbols/string_builder.h"

typedef struct dj_remote_element {
    dj_element_query query;
    const char *text; // NULL: not answered yet
    struct dj_remote_element *next;
} dj_remote_element;

static bool is_same(const dj_element_query *a, const dj_element_query *b)
{
    return a->offset == b->offset && a->bytes == b->bytes && a->variable == b->variable &&
           a->any_index == b->any_index;
}

// The element of a query, or the key at which to add it.
static dj_remote_element *find_element(const dj_client *client, const dj_element_query *query, uint64_t *key)
{
    const uint64_t fields[] = {query->offset, query->bytes, query->variable, query->any_index};
    // Queries whose hashes collide use the next keys.
    *key = XXH3_64bits(fields, sizeof fields);
    for (dj_remote_element *known;
         (known = (dj_remote_element *)(uintptr_t)dj_map_get(&client->elements, *key)); ++*key)
        if (is_same(&known->query, query))
            return known;
    return NULL;
}

static dj_remote_element *add_element(dj_client *client, const dj_element_query *query, uint64_t key)
{
    dj_remote_element *element = dj_arena_alloc(&client->arena, 1, sizeof *element);
    uint64_t *place = element ? dj_map_at(&client->elements, client->symbols->quiet, key) : NULL;
    if (!dj_client_check(client, place))
        return NULL;
    element->query = *query;
    *place = (uint64_t)(uintptr_t)element;
    return element;
}

// Lists the new ones, in order.
static dj_remote_element *list_new(dj_client *client, const dj_element_query *queries, size_t count,
                                   uint64_t *asked)
{
    dj_remote_element *first = NULL, **end = &first;
    *asked = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t key;
        if (queries[i].variable == 0 || find_element(client, &queries[i], &key))
            continue;
        *end = add_element(client, &queries[i], key);
        if (!*end)
            return NULL;
        end = &(*end)->next;
        ++*asked;
    }
    return first;
}

static void ask(dj_client *client, dj_remote_element *first, uint64_t asked)
{
    dj_message_clear(&client->out);
    dj_client_put(client, DJ_REQUEST_ELEMENTS, asked);
    for (const dj_remote_element *e = first; e; e = e->next) {
        dj_message_put(&client->out, e->query.variable);
        dj_message_put(&client->out, e->query.offset);
        dj_message_put(&client->out, e->query.bytes);
        dj_message_put(&client->out, e->query.any_index);
    }
    bool good = dj_client_ask(client);
    for (dj_remote_element *e = first; good && e; e = e->next) {
        e->text = dj_client_get_text(client);
        good = dj_client_check(client, e->text);
    }
}

void dj_client_elements(dj_client *client, const dj_element_query *queries, size_t count,
                        char (*text)[DJ_ELEMENT_CAPACITY])
{
    uint64_t asked, key;
    dj_remote_element *first = list_new(client, queries, count, &asked);
    if (first)
        ask(client, first, asked);
    for (size_t i = 0; i < count; i++) {
        const dj_remote_element *known = queries[i].variable ? find_element(client, &queries[i], &key) : NULL;
        dj_string_builder builder = dj_string_builder_begin(text[i], DJ_ELEMENT_CAPACITY);
        dj_string_builder_add(&builder, known && known->text ? known->text : "");
    }
}
