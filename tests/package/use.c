// SPDX-License-Identifier: MIT
#include <deja/deja.h>
#include <stdio.h>

int main(void)
{
    // a b c b a: distances calculated by hand.
    const uint64_t keys[] = {1, 2, 3, 2, 1};
    const uint64_t expected[] = {DJ_COLD, DJ_COLD, DJ_COLD, 1, 2};
    uint64_t distances[5];
    dj_context *context = NULL;
    if (dj_context_create(&context) != DJ_OK)
        return 1;
    int err = dj_distances(context, dj_engine_find("stack"), keys, 5, distances);
    for (int i = 0; !err && i < 5; i++)
        err = distances[i] != expected[i];
    dj_context_destroy(context);
    printf("deja %s: %s\n", DJ_VERSION, err ? "wrong" : "good");
    return err != 0;
}
