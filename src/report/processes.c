// SPDX-License-Identifier: MIT
// The other processes of a run.
#include <deja/report.h>

void dj_document_add_processes(dj_document *document, const dj_process_row *processes, size_t count)
{
    if (count == 0)
        return;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "Other processes");
    dj_sheet_add_column(table, (dj_sheet_column){.title = "process", .name = "process", .width = 10});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "accesses", .name = "accesses", .width = 14});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "blocks", .name = "distinct", .width = 12});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "mean", .name = "mean_distance", .width = 12});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "program", .name = "program", .left = true});
    for (size_t i = 0; i < count; i++) {
        const dj_process_row *p = &processes[i];
        dj_datum mean = dj_datum_real(DJ_DATUM_REAL, p->mean, 1);
        dj_sheet_row *row = dj_sheet_add_row(table);
        dj_row_put(table, row, dj_datum_whole(DJ_DATUM_NUMBER, p->pid));
        dj_row_put(table, row, dj_datum_whole(DJ_DATUM_NUMBER, p->measured ? p->accesses : 0));
        dj_row_put(table, row, dj_datum_whole(DJ_DATUM_NUMBER, p->measured ? p->distinct : 0));
        dj_row_put(table, row, p->measured ? mean : dj_datum_none(""));
        dj_row_put(table, row, dj_datum_text(dj_document_format(document, "%s (%s)", p->command, p->end)));
    }
}
