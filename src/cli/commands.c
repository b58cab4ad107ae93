// SPDX-License-Identifier: MIT
// The table of verbs.
#include <string.h>

#include "cli/command.h"

extern const dj_command dj_command_analyze;
extern const dj_command dj_command_annotate;
extern const dj_command dj_command_cc;
extern const dj_command dj_command_co_run;
extern const dj_command dj_command_concurrent;
extern const dj_command dj_command_convert;
extern const dj_command dj_command_cxx;
extern const dj_command dj_command_diff;
extern const dj_command dj_command_fc;
extern const dj_command dj_command_gen;
extern const dj_command dj_command_help;
extern const dj_command dj_command_info;
extern const dj_command dj_command_join;
extern const dj_command dj_command_mrc;
extern const dj_command dj_command_predict;
extern const dj_command dj_command_record;
extern const dj_command dj_command_reorder;
extern const dj_command dj_command_report;
extern const dj_command dj_command_run;
extern const dj_command dj_command_spatial;
extern const dj_command dj_command_stats;
extern const dj_command dj_command_view;

static const dj_command *const commands[] = {
    &dj_command_run,        &dj_command_record,  &dj_command_cc,      &dj_command_cxx,
    &dj_command_fc,         &dj_command_analyze, &dj_command_join,    &dj_command_spatial,
    &dj_command_concurrent, &dj_command_co_run,  &dj_command_predict, &dj_command_diff,
    &dj_command_reorder,    &dj_command_stats,   &dj_command_mrc,     &dj_command_report,
    &dj_command_annotate,   &dj_command_view,    &dj_command_gen,     &dj_command_convert,
    &dj_command_info,       &dj_command_help,
};

size_t dj_command_count(void)
{
    return sizeof commands / sizeof *commands;
}

const dj_command *dj_command_get(size_t index)
{
    return commands[index];
}

const dj_command *dj_command_find(const char *name)
{
    for (size_t i = 0; i < dj_command_count(); i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}
