// SPDX-License-Identifier: MIT
#include "cli/options/windows.h"

#include "base/point.h"

int dj_windows_parse(dj_context *context, dj_windows_choice *choice, bool *timed)
{
    dj_point length = {0};
    *timed = false;
    if (!choice->text)
        return DJ_OK;
    if (!dj_point_read(choice->text, &length) || length.at == 0)
        return dj_point_fail(context, "--windows", choice->text);
    *(length.timed ? &choice->options.duration : &choice->options.length) = length.at;
    *timed = length.timed;
    return DJ_OK;
}

int dj_windows_observe(dj_context *context, const dj_windows_choice *choice, dj_observer_list *list)
{
    return choice->text ? dj_observer_list_add(context, list, "windows", &choice->options) : DJ_OK;
}
