// SPDX-License-Identifier: MIT
// Who wrote the bytes of scalars last, against an array with an entry for each byte.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "reorder/scalars.h"
#include "support/context.h"

enum { BYTES = 64, USES = 400, ROUNDS = 200 };

static void writers_of_bytes_are_known(void **state)
{
    (void)state;
    const uint64_t stack = UINT64_C(0x7ffffffde000);
    dj_random dice;
    dj_random_seed(&dice, 1);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t last[BYTES];
        dj_scalars words = {0};
        assert_int_equal(dj_scalars_create(&words, context), DJ_OK);
        for (unsigned i = 0; i < BYTES; i++)
            last[i] = DJ_NONE;
        for (uint32_t use = 0; use < USES; use++) {
            const unsigned from = (unsigned)dj_random_below(&dice, BYTES),
                           left = DJ_WORD_BYTES - from % DJ_WORD_BYTES;
            const unsigned bytes =
                dj_random_below(&dice, 3) ? left : 1 + (unsigned)dj_random_below(&dice, left);
            const uint32_t writer = dj_random_below(&dice, 2) ? use : DJ_NONE;
            uint32_t before[DJ_WORD_BYTES];
            assert_int_equal(dj_scalars_use(&words, context, stack + from, bytes, writer, before), DJ_OK);
            // A whole word that was never used in parts has one writer, which is the first entry.
            const bool whole = bytes == DJ_WORD_BYTES;
            for (unsigned i = 0; i < bytes; i++) {
                const bool known = before[i] == last[from + i];
                assert_true(known || (whole && i > 0 && before[i] == DJ_NONE && before[0] == last[from + i]));
                last[from + i] = writer == DJ_NONE ? last[from + i] : writer;
            }
            for (unsigned i = bytes; i < DJ_WORD_BYTES; i++)
                assert_int_equal(before[i], DJ_NONE);
        }
        dj_scalars_destroy(&words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writers_of_bytes_are_known)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
