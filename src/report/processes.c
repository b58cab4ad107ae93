// SPDX-License-Identifier: MIT
// The other processes of a run.
#include "report/parts.h"

void dj_document_add_processes(dj_document *document, const dj_process_row *processes, size_t count)
{
    static const dj_sheet_column columns[] = {DJ_COLUMN("process", "process", 10, 0),
                                              DJ_COLUMN("accesses", "accesses", 14, 0),
                                              DJ_COLUMN("blocks", "distinct", 12, 0),
                                              DJ_COLUMN("mean dist.", "mean_distance", 12, 0),
                                              {.title = "program", .name = "program", .left = true}};
    if (count == 0)
        return;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "Other processes");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < count; i++) {
        const dj_process_row *p = &processes[i];
        const dj_datum cells[] = {dj_datum_whole(DJ_DATUM_NUMBER, p->pid),
                                  dj_datum_whole(DJ_DATUM_NUMBER, p->measured ? p->accesses : 0),
                                  dj_datum_whole(DJ_DATUM_NUMBER, p->measured ? p->distinct : 0),
                                  p->measured ? dj_datum_real(DJ_DATUM_REAL, p->mean, 1) : dj_datum_none(""),
                                  dj_datum_text(dj_document_format(document, "%s (%s)", p->command, p->end))};
        DJ_CELLS(table, cells);
    }
}
