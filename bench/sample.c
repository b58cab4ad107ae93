// SPDX-License-Identifier: MIT
#include "bench/sample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static void put_little(FILE *out, uint64_t value, unsigned bytes)
{
    for (unsigned b = 0; b < bytes; b++)
        fputc((int)(value >> 8 * b & 0xff), out);
}

static void put_big(FILE *out, uint64_t value, unsigned bytes)
{
    for (unsigned b = bytes; b-- > 0;)
        fputc((int)(value >> 8 * b & 0xff), out);
}

static void put_u32le(FILE *out, uint64_t i, uint64_t address)
{
    (void)i;
    put_little(out, address, 4);
}

static void put_u64le(FILE *out, uint64_t i, uint64_t address)
{
    (void)i;
    put_little(out, address, 8);
}

static void put_u32be(FILE *out, uint64_t i, uint64_t address)
{
    (void)i;
    put_big(out, address, 4);
}

static void put_u64be(FILE *out, uint64_t i, uint64_t address)
{
    (void)i;
    put_big(out, address, 8);
}

static void put_oracle_general(FILE *out, uint64_t i, uint64_t address)
{
    put_little(out, i, 4);
    put_little(out, address, 8);
    put_little(out, 4096, 4);
    put_little(out, UINT64_MAX, 8);
}

static void put_vscsi(FILE *out, uint64_t i, uint64_t address)
{
    put_little(out, i, 4);
    put_little(out, 4096, 4);
    put_little(out, 1, 4);
    put_little(out, 0x28, 2);  // READ(10)
    put_little(out, 0x102, 2); // version 1 stands in the high byte
    put_little(out, address / 512, 8);
    put_little(out, i, 8);
}

static const bench_sample samples[] = {
    {"text", "{d}\n", NULL, NULL},
    {"csv", "{i},{d},4096,R\n", NULL, "time,key,size,op"},
    {"alibaba", "7,R,{d},4096,{i}\n", NULL, NULL},
    {"msr", "{i},usr,0,Read,{d},4096,1000\n", NULL, NULL},
    {"spc", "0,{d},4096,R,0.5\n", NULL, NULL},
    {"arc", "{d} 1 0 {i}\n", NULL, NULL},
    {"lirs", "{d}\n", NULL, NULL},
    {"lackey", " L {x},8\n", NULL, NULL},
    {"dinero", "0 {x}\n", NULL, NULL},
    {"hexrw", "0x{x} R\n", NULL, NULL},
    {"address", "l 0x{x} 4\n", NULL, NULL},
    {"ramulator", "3 {d}\n", NULL, NULL},
    {"ascii5", "{i} 0 {d} 8 1\n", NULL, NULL},
    {"webcachesim", "{i} {d} 4096\n", NULL, NULL},
    {"mooncake", "{\"timestamp\": {i}, \"hash_ids\": [{d}, {i}]}\n", NULL, NULL},
    {"u32le", NULL, put_u32le, NULL},
    {"u64le", NULL, put_u64le, NULL},
    {"u32be", NULL, put_u32be, NULL},
    {"u64be", NULL, put_u64be, NULL},
    {"oracleGeneral", NULL, put_oracle_general, NULL},
    {"vscsi", NULL, put_vscsi, NULL},
};

const bench_sample *bench_sample_find(const char *format)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        if (strcmp(samples[i].format, format) == 0)
            return &samples[i];
    return NULL;
}

static void put_line(FILE *out, const char *line, uint64_t i, uint64_t address)
{
    for (const char *at = line; *at; at++) {
        if (strncmp(at, "{i}", 3) == 0)
            fprintf(out, "%" PRIu64, i);
        else if (strncmp(at, "{d}", 3) == 0)
            fprintf(out, "%" PRIu64, address);
        else if (strncmp(at, "{x}", 3) == 0)
            fprintf(out, "%" PRIx64, address);
        else {
            fputc(*at, out);
            continue;
        }
        at += 2;
    }
}

int bench_sample_make(dj_context *context, const bench_sample *sample, uint64_t count, char **out,
                      size_t *bytes)
{
    *out = NULL;
    FILE *file = open_memstream(out, bytes);
    if (!file)
        return dj_fail_memory(context, "a sample trace", 0);
    dj_random random;
    dj_random_seed(&random, 1);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t address = 0x10000 + 4096 * dj_random_below(&random, 1000000);
        if (sample->line)
            put_line(file, sample->line, i, address);
        else
            sample->record(file, i, address);
    }
    if (fclose(file) == 0)
        return DJ_OK;
    free(*out);
    *out = NULL;
    return dj_fail_memory(context, "a sample trace", 0);
}
