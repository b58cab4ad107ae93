// SPDX-License-Identifier: MIT
#ifndef DEJA_REPORT_PARAGRAPH_H
#define DEJA_REPORT_PARAGRAPH_H

#include <deja/report.h>

// A clean text in lines that are not too long to follow, `indent` columns in.
void dj_paragraph(FILE *out, const dj_report_style *style, const char *text, unsigned indent);

#endif
