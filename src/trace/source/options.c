// SPDX-License-Identifier: MIT
#include <deja/source.h>

#define AT(field) offsetof(dj_source_options, field)

const dj_option dj_source_option_table[] = {
    {"format", 'f', DJ_OPTION_TEXT, AT(format), "NAME",
     "format of the trace; found by content and name unless given ('deja info' lists them)", NULL},
    {"columns", 0, DJ_OPTION_TEXT, AT(columns), "LIST",
     "csv: what the columns are, in file order, as in time,key,size,op,thread; '-' skips one, and there are "
     "address, offset, lba, sectors, device and site too",
     NULL},
    {"header", 0, DJ_OPTION_FLAG, AT(header), NULL, "csv: the first line holds names, not data", NULL},
    {"instructions", 0, DJ_OPTION_FLAG, AT(instructions), NULL,
     "count instruction fetches too; they are left out otherwise", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};
