// SPDX-License-Identifier: MIT
// The meaning of lines in each text format. The expectations were derived by hand from the descriptions of
// the formats.
#include "support/reading.h"

typedef struct sample {
    const char *format;
    const char *text;
    const char *expected;
    bool instructions;
} sample;

static const sample samples[] = {
    {"alibaba", "3,R,8192,4096,1577808000000\n3,W,0,512,1577808000001\n0,r, 1 , 0 ,5\n",
     "R2000+4096@3 W0+512@3 R1+0@0", false},
    {"msr",
     "128166372003061629,hm,1,Read,383496192,32768,113736\n1,hm,0,Write,512,1,2\n1,web,1,Read,16,1,2\n"
     "1,hm,1,read,0,1,2\n",
     "R16dbb000+32768@0 W200+1@1 R10+1@2 R0+1@0", false},
    {"spc", "0,20941264,8192,W,0.551706\n1,2,512,r,1e3,extra\n4294967295,0,0,R,7,\n",
     "W27f13a000+8192@0 R400+512@1 R0+0@4294967295", false},
    {"ascii5", "11413000 0 657728 16 1\n12.5\t1 1 1 0\n", "R14128000+8192@0 W200+512@1", false},
    {"arc", "230027 8 0 0\n5 0 7 1\n18446744073709551615 1 0 2\n", "3828b+8 5+0 ffffffffffffffff+1", false},
    {"webcachesim", "1 0 68\n2 18446744073709551615 7454 9 9 word\n-1.5e3 7 0\n",
     "0+68 ffffffffffffffff+7454 7+0", false},
    {"ramulator", "0 9618752\n3 89619008 64\n1 0x10 0xffffffffffffffff \n",
     "R92c540 R5577a40 W40 R10 Wffffffffffffffff", false},
    {"address", "s 0x1fffff50 1\nl 0x1fffff58 1\nL ffffffffffffffff 0\n",
     "W1fffff50 R1fffff58 Rffffffffffffffff", false},
    {"hexrw", "0x7f00 R\nW 7f08\n7F10 w\nread 0XAB\n", "R7f00 W7f08 W7f10 Rab", false},
    {"dinero", "0 7fff5a8\n1 10 ignored\n2 400\n3 0\n4 0\n2 0x404\n", "R7fff5a8 W10", false},
    {"dinero", "0 7fff5a8\n2 400\n3 0\n", "R7fff5a8 I400", true},
    {"lirs", "0\n1\n*\n* phase\n1\n18446744073709551615\n", "0 1 1 ffffffffffffffff", false},
    // A site appears when an instruction first accesses data.
    {"lackey",
     "==12== Lackey, an example Valgrind tool\n--12-- warning\n**12** printed\n\nI  04016b90,3\n"
     "I  04016b93,5\n S 1ffeffe7e0,8\nI  04016b90,3\n L 04222c60,4\n M 0421c7cc,4\nI  04016b93,5\n L 10,1\n",
     "module0 site0=4016b93 W1ffeffe7e0+8#0 site1=4016b90 R4222c60+4#1 M421c7cc+4#1 R10+1#0", false},
    {"lackey", "I  10,3\nI  20,3\n S 8,8\n", "module0 site0=10 I10+3#0 site1=20 I20+3#1 W8+8#1", true},
    {"lackey", " L 8,8\n", "module0 site0=0 R8+8#0", false},
    {"cachelib-block",
     "op_time,block_id,block_id_size,io_size,io_offset,user_name,user_namespace,op_name,op_count,host_name,"
     "rs_shard_id\n"
     "1,a-b,40,8388608,0,4,3,getChunkData.NotInitialized,1,5,4\n"
     "1,c-d,40,100,4096,4,3,putChunk.Permanent,3,5,4\n"
     "1,a-b,40,1,1,4,3,getChunkData.Permanent,1,5,3\n"
     "1,a-b,40,1,1,4,3,x,1,5,4\n",
     "R0+8388608@0 W1000+100@1 R1+1@2 O1+1@0", false},
    {"mooncake",
     "{\"timestamp\": 0, \"hash_ids\": [0, 46, 18446744073709551615], \"input_length\": 6758}\n"
     "{\"hash_ids\":[]}\n{ \"a\" : {\"hash_ids\":[9]}, \"b\":[[],{}], \"hash_ids\" : [ 1 ,2 ] , "
     "\"c\":-1.5e+3 }\n",
     "0 2e ffffffffffffffff 1 2", false},
};

static void check(const sample *s, const char *text, const char *variant)
{
    dj_source_options options = {.format = s->format, .instructions = s->instructions};
    reading *r = reading_bytes(text, strlen(text), &options);
    if (r->err || strcmp(r->text, s->expected) != 0)
        print_error("%s, %s: %s\n", s->format, variant, r->message);
    assert_string_equal(r->text, s->expected);
    assert_int_equal(r->err, DJ_OK);
    free(r);
}

static void every_format_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        check(&samples[i], samples[i].text, "as it is");
}

// Copies text, replacing each \n by `newline` and inserting `before` before each line.
static void rewrite(char *to, const char *text, const char *newline, const char *before)
{
    to += sprintf(to, "%s", before);
    for (; *text; text++) {
        if (*text == '\n')
            to += sprintf(to, "%s%s", newline, text[1] ? before : "");
        else
            *to++ = *text;
    }
    *to = '\0';
}

static void line_ends_blanks_and_comments_do_not_matter(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char text[4096];
        rewrite(text, samples[i].text, "\r\n", "");
        check(&samples[i], text, "CRLF");
        rewrite(text, samples[i].text, "\n \t\n\r\n", "");
        check(&samples[i], text, "blank lines");
        rewrite(text, samples[i].text, "\n", "");
        text[strlen(text) - 1] = '\0';
        check(&samples[i], text, "no final newline");
        rewrite(text, samples[i].text, "\n", "# a comment\n");
        check(&samples[i], text, "comments");
        snprintf(text, sizeof text, "\xef\xbb\xbf%s", samples[i].text);
        check(&samples[i], text, "byte order mark");
    }
}

// CacheBench repeats a request op_count times; the key is replaced by its hash.
static void cachelib_requests_are_repeated(void **state)
{
    (void)state;
    static const char text[] = "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n"
                               "1,aa,48,GET,1,87,1,0,3,3\n"
                               "1,b,24,SET_LEASE,40000,5,0,0,6,6\n"
                               "op,op_count,size,key\n" // another file, in another order
                               "DELETE,2,0,aa\n";
    dj_context *context = NULL;
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    uint64_t keys[3] = {0}, at = 0;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    assert_int_equal(dj_source_open_memory(context, text, strlen(text), "t",
                                           &(dj_source_options){.format = "cachelib-kv"}, &source),
                     DJ_OK);
    while (dj_source_next(source, context, &batch) == DJ_OK && batch) {
        for (uint32_t i = 0; i < batch->count; i++, at++) {
            size_t line = at == 0 ? 0 : at <= 40000 ? 1 : 2;
            static const uint8_t kinds[] = {DJ_KIND_READ, DJ_KIND_WRITE, DJ_KIND_OTHER};
            static const uint64_t sizes[] = {87, 5, 0};
            if (keys[line] == 0)
                keys[line] = batch->column.address[i];
            assert_int_equal(batch->column.address[i], keys[line]);
            assert_int_equal(batch->column.kind[i], kinds[line]);
            assert_int_equal(batch->column.size[i], sizes[line]);
        }
        dj_batch_release(batch);
    }
    assert_int_equal(at, 40003);
    assert_int_equal(keys[0], keys[2]);
    assert_int_not_equal(keys[0], keys[1]);
    dj_source_close(source);
    dj_context_destroy(context);
}

// The write of a ramulator line may have to wait for the next batch.
static void the_accesses_of_a_line_may_span_two_batches(void **state)
{
    (void)state;
    enum { LINES = DJ_BATCH_CAPACITY };
    char *text = malloc(LINES * 16);
    size_t used = (size_t)sprintf(text, "0 7\n"); // so that a pair crosses the boundary
    for (unsigned i = 0; i < LINES; i++)
        used += (size_t)sprintf(text + used, "1 %u %u\n", 2 * i, 2 * i + 1);
    dj_context *context = NULL;
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    uint64_t at = 0;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    assert_int_equal(
        dj_source_open_memory(context, text, used, "t", &(dj_source_options){.format = "ramulator"}, &source),
        DJ_OK);
    while (dj_source_next(source, context, &batch) == DJ_OK && batch) {
        for (uint32_t i = 0; i < batch->count; i++, at++) {
            assert_int_equal(batch->column.address[i], at == 0 ? 7 : at - 1);
            assert_int_equal(batch->column.kind[i], at != 0 && at % 2 == 0);
        }
        dj_batch_release(batch);
    }
    assert_int_equal(at, 2 * LINES + 1);
    dj_source_close(source);
    dj_context_destroy(context);
    free(text);
}

typedef struct traits {
    const char *format;
    enum dj_class kind;
    uint64_t block, unit;
    bool split;
} traits;

static void formats_have_their_classes_and_blocks(void **state)
{
    (void)state;
    static const traits all[] = {
        {"alibaba", DJ_CLASS_BLOCK_IO, 4096, 1, true},
        {"msr", DJ_CLASS_BLOCK_IO, 4096, 1, true},
        {"spc", DJ_CLASS_BLOCK_IO, 4096, 1, true},
        {"ascii5", DJ_CLASS_BLOCK_IO, 4096, 1, true},
        {"arc", DJ_CLASS_BLOCK_IO, 1, 0, true},
        {"webcachesim", DJ_CLASS_KEYS, 1, 0, false},
        {"ramulator", DJ_CLASS_MEMORY, 64, 1, false},
        {"address", DJ_CLASS_MEMORY, 64, 1, false},
        {"hexrw", DJ_CLASS_MEMORY, 64, 1, false},
        {"dinero", DJ_CLASS_MEMORY, 64, 1, false},
        {"lackey", DJ_CLASS_MEMORY, 64, 1, false},
        {"lirs", DJ_CLASS_KEYS, 1, 0, false},
        {"mooncake", DJ_CLASS_KEYS, 1, 0, false},
        {"cachelib-kv", DJ_CLASS_KEYS, 1, 0, false},
        {"cachelib-block", DJ_CLASS_BLOCK_IO, 4096, 1, true},
        {"text", DJ_CLASS_KEYS, 1, 0, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        reading *r = reading_text("x", all[i].format);
        assert_string_equal(r->info.format, all[i].format);
        assert_int_equal(r->info.kind, all[i].kind);
        assert_int_equal(r->info.default_block, all[i].block);
        assert_int_equal(r->info.unit_bytes, all[i].unit);
        assert_int_equal(r->info.default_split, all[i].split);
        free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_read),
        cmocka_unit_test(line_ends_blanks_and_comments_do_not_matter),
        cmocka_unit_test(cachelib_requests_are_repeated),
        cmocka_unit_test(the_accesses_of_a_line_may_span_two_batches),
        cmocka_unit_test(formats_have_their_classes_and_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
