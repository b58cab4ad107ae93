// SPDX-License-Identifier: MIT
#include "cli/options/details.h"

int dj_details_observe(dj_context *context, const dj_detail_options *options, bool part,
                       dj_observer_list *list)
{
    int err = options->time ? dj_observer_list_add(context, list, "time", NULL) : DJ_OK;
    if (!err && options->fingerprint && !part)
        err = dj_observer_list_add(context, list, "fingerprint", NULL);
    if (!err && options->fingerprint)
        err = dj_observer_list_add(context, list, "digest", NULL);
    return err;
}

const char *dj_details_given(const dj_detail_options *options)
{
    return options->bins          ? "--bins"
           : options->time        ? "--time"
           : options->fingerprint ? "--fingerprint"
                                  : NULL;
}
