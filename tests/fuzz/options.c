// SPDX-License-Identifier: MIT
// The option parser on arbitrary command lines: lines are arguments, the first
// names the verb.
#include "fuzz/check.h"

#include "base/option/option.h"
#include "cli/command.h"

enum { ARGUMENTS_MOST = 64 };

static const dj_command *choose(const char *name)
{
    const dj_command *command = dj_command_find(name);
    return command ? command : dj_command_get(0);
}

static void parse(dj_context *context, size_t count, char *const *args)
{
    const dj_command *command = choose(args[0]);
    const char *positional[ARGUMENTS_MOST];
    size_t positional_count = 0;
    dj_groups groups = {0};
    void *values = NULL;
    CHECK(dj_groups_own(context, &groups, command->options_bytes, &values) == DJ_OK);
    CHECK(command->list_options(context, values, &groups) == DJ_OK);
    int err = dj_option_parse(context, groups.list, groups.count, count - 1, args + 1, positional,
                              &positional_count);
    CHECK(err == DJ_OK || (err == DJ_ERR_USAGE && dj_context_message(context)[0]));
    CHECK(positional_count < count);
    dj_groups_free(&groups);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    dj_context *context = NULL;
    char *args[ARGUMENTS_MOST];
    size_t count = 0;
    char *text = malloc(bytes + 1);
    CHECK(text && dj_context_create(&context) == DJ_OK);
    if (bytes)
        memcpy(text, data, bytes);
    text[bytes] = '\0';
    for (char *at = text; count < ARGUMENTS_MOST; count++) {
        args[count] = at;
        at = strchr(at, '\n');
        if (!at)
            break;
        *at++ = '\0';
    }
    parse(context, count < ARGUMENTS_MOST ? count + 1 : count, args);
    free(text);
    dj_context_destroy(context);
    return 0;
}
