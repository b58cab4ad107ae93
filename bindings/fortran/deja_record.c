/* SPDX-License-Identifier: MIT */
/* The functions that the Fortran module deja_record calls. Those for accesses end with a jump, so that the
 * recorder sees the calling line of the Fortran program. */
#include <deja/record.h>
#include <ISO_Fortran_binding.h>

#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#define JUMPS __attribute__((optimize("O2", "optimize-sibling-calls")))
#else
#define JUMPS
#endif

enum { NAME_ROOM = 256 };

/* Copies a Fortran string without trailing blanks. */
static const char *copy_name(const CFI_cdesc_t *name, char *to)
{
    const char *text = (const char *)name->base_addr;
    size_t length = name->elem_len < NAME_ROOM - 1 ? name->elem_len : NAME_ROOM - 1;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    memcpy(to, text, length);
    to[length] = 0;
    return to;
}

/* Covers everything from the first byte to the last if it is a section with gaps. */
void deja_fortran_data(const CFI_cdesc_t *data, const CFI_cdesc_t *name);
void deja_fortran_data(const CFI_cdesc_t *data, const CFI_cdesc_t *name)
{
    char copy[NAME_ROOM];
    size_t bytes = data->elem_len;
    int i;
    for (i = 0; i < data->rank; i++) {
        CFI_index_t steps = data->dim[i].extent - 1;
        if (steps < 0)
            bytes = 0;
        else if (bytes > 0)
            bytes += (size_t)(steps * (data->dim[i].sm < 0 ? -data->dim[i].sm : data->dim[i].sm));
    }
    dj_record_data(data->base_addr, bytes, data->elem_len, copy_name(name, copy));
}

void deja_fortran_forget(const CFI_cdesc_t *base);
void deja_fortran_forget(const CFI_cdesc_t *base)
{
    dj_record_forget(base->base_addr);
}

void deja_fortran_partial(const CFI_cdesc_t *base, const void *entry);
void deja_fortran_partial(const CFI_cdesc_t *base, const void *entry)
{
    dj_record_partial(base->base_addr, entry);
}

void deja_fortran_read(const CFI_cdesc_t *base, const void *element);
JUMPS void deja_fortran_read(const CFI_cdesc_t *base, const void *element)
{
    dj_record_read(base->base_addr, element);
}

void deja_fortran_write(const CFI_cdesc_t *base, const void *element);
JUMPS void deja_fortran_write(const CFI_cdesc_t *base, const void *element)
{
    dj_record_write(base->base_addr, element);
}

void deja_fortran_modify(const CFI_cdesc_t *base, const void *element);
JUMPS void deja_fortran_modify(const CFI_cdesc_t *base, const void *element)
{
    dj_record_modify(base->base_addr, element);
}

void deja_fortran_statement(void);
JUMPS void deja_fortran_statement(void)
{
    dj_record_statement();
}

void deja_fortran_region_begin(const CFI_cdesc_t *name);
void deja_fortran_region_begin(const CFI_cdesc_t *name)
{
    char copy[NAME_ROOM];
    dj_region_begin(copy_name(name, copy));
}

void deja_fortran_region_end(const CFI_cdesc_t *name);
void deja_fortran_region_end(const CFI_cdesc_t *name)
{
    char copy[NAME_ROOM];
    dj_region_end(copy_name(name, copy));
}

void deja_fortran_thread_name(const CFI_cdesc_t *name);
void deja_fortran_thread_name(const CFI_cdesc_t *name)
{
    char copy[NAME_ROOM];
    dj_thread_name(copy_name(name, copy));
}
