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
    put_little(out, 0x102, 2); // version 1 is in the high byte
    put_little(out, address / 512, 8);
    put_little(out, i, 8);
}

static const bench_sample samples[] = {
    {.format = "text", .line = "{d}\n"},
    {.format = "csv", .line = "{i},{d},4096,R\n", .columns = "time,key,size,op"},
    {.format = "alibaba", .line = "7,R,{d},4096,{i}\n"},
    {.format = "msr", .line = "{i},usr,0,Read,{d},4096,1000\n"},
    {.format = "spc", .line = "0,{d},4096,R,0.5\n"},
    {.format = "arc", .line = "{d} 1 0 {i}\n"},
    {.format = "lirs", .line = "{d}\n"},
    {.format = "lackey", .line = " L {x},8\n"},
    {.format = "dinero", .line = "0 {x}\n"},
    {.format = "hexrw", .line = "0x{x} R\n"},
    {.format = "address", .line = "l 0x{x} 4\n"},
    {.format = "ramulator", .line = "3 {d}\n"},
    {.format = "ascii5", .line = "{i} 0 {d} 8 1\n"},
    {.format = "webcachesim", .line = "{i} {d} 4096\n"},
    {.format = "mooncake", .line = "{\"timestamp\": {i}, \"hash_ids\": [{d}, {i}]}\n"},
    {.format = "cachelib-kv",
     .head = "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n",
     .line = "604038471,{x},48,GET,1,87,1,0,366387042,3003229276\n"},
    {.format = "cachelib-block",
     .head = "op_time,block_id,block_id_size,io_size,io_offset,user_name,user_namespace,op_name,op_count,"
             "host_name,rs_shard_id\n",
     .line =
         "1702511878,{x}-{x},40,8192,0,4235083322,3487869255,getChunkData.NotInitialized,1,518845025,4\n"},
    {.format = "u32le", .record = put_u32le},
    {.format = "u64le", .record = put_u64le},
    {.format = "u32be", .record = put_u32be},
    {.format = "u64be", .record = put_u64be},
    {.format = "oracleGeneral", .record = put_oracle_general},
    {.format = "vscsi", .record = put_vscsi},
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
    fputs(sample->head ? sample->head : "", file);
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
