// SPDX-License-Identifier: MIT
// The initial stack of a program holds its arguments and its environment, so their sizes would move the whole
// stack. Here it starts at the same address whatever they are, the length of one string moves no other, and
// the 16 random bytes of the kernel are always the same: so runs can be compared. The core is linked with
// --wrap: it gets an environment with a long variable, which makes room and is removed again.
#include <elf.h>

#include "tool.h"

// The first strings have a number, and for each number there is a place of each size.
enum {
    SPACE_BYTES = 128 * 1024,  // from the start of the stack to its end, or a multiple
    POINTER_BYTES = 16 * 1024, // of them for arrays of pointers, or a multiple
    NUMBERS = 128,
    SHORT_BYTES = 64,
    LONG_BYTES = 512,
    LONGER_BYTES = 4096, // longer strings with a number begin at a multiple
    RANDOM_BYTES = 16,
    MORE_TEXTS = 128, // what the core may add: an interpreter, a variable, the auxiliary vector
    MORE_BYTES = 24 * 1024,
};

enum { RANDOM_NUMBER, PLATFORM_NUMBER, BASE_PLATFORM_NUMBER, NAME_NUMBER, FIRST_NUMBER };

static const HChar pad_name[] = "\001deja=";

// What the core passes and returns, as far as it is used here.
typedef struct image_request {
    const HChar *tool;
    Addr sp, stack_end;
    HChar **arguments, **environment;
} image_request;

typedef struct image {
    SizeT stack_most;
    Addr sp, pc, toc, auxiliary;
} image;

extern HChar **VG_(client_envp);
extern UWord *VG_(client_auxv);
extern Addr VG_(clstk_end);

// The core returns a structure, so its address is the hidden first argument.
image *__real_vgPlain_ii_create_image(image *out, image_request request, const void *machine);
image *__wrap_vgPlain_ii_create_image(image *out, image_request request, const void *machine);

// The start of the stack as it will be.
typedef struct layout {
    Addr sp, strings;
    UWord *words; // from the number of arguments to the end of the auxiliary vector
    UWord count, environment, auxiliary;
    HChar *text;      // what begins at `strings`
    UWord number;     // of the next string
    SizeT text_bytes; // up to the last string
} layout;

static SizeT round_up(SizeT bytes, SizeT unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static UWord count_texts(HChar **texts)
{
    UWord count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

// What strings without a place need at most.
static SizeT count_bytes(HChar **texts)
{
    SizeT bytes = 0;
    for (UWord i = 0; texts && texts[i]; i++)
        bytes +=
            VG_(strlen)(texts[i]) + (i < NUMBERS && VG_(strlen)(texts[i]) >= LONG_BYTES ? LONGER_BYTES : 1);
    return bytes;
}

static HChar **pad_environment(HChar **environment, SizeT bytes)
{
    UWord count = count_texts(environment);
    HChar **padded = VG_(calloc)("deja.environment", count + 2, sizeof *padded);
    HChar *pad = VG_(calloc)("deja.padding", bytes + sizeof pad_name, 1);
    VG_(memset)(pad, ' ', bytes);
    VG_(memcpy)(pad, pad_name, sizeof pad_name - 1);
    VG_(memcpy)(padded, environment, count * sizeof *padded);
    padded[count] = pad;
    return padded;
}

// Returns the address that the bytes will have.
static UWord move(layout *to, const void *from, SizeT bytes, UWord number)
{
    SizeT at = number * SHORT_BYTES, unit = number < NUMBERS ? LONGER_BYTES : 1;
    if (bytes > SHORT_BYTES)
        at = NUMBERS * SHORT_BYTES + number * LONG_BYTES;
    if (bytes > LONG_BYTES || number >= NUMBERS) {
        at = round_up(to->text_bytes, unit);
        to->text_bytes = at + bytes;
    }
    VG_(memcpy)(to->text + at, from, bytes);
    return to->strings + at;
}

static UWord move_text(layout *to, UWord text, UWord number)
{
    return move(to, (const HChar *)text, VG_(strlen)((const HChar *)text) + 1, number);
}

// Returns what follows the NULL at the end.
static const UWord *copy_texts(layout *to, const UWord *from)
{
    for (; *from; from++)
        if (VG_(strncmp)((const HChar *)*from, pad_name, sizeof pad_name - 1) != 0)
            to->words[to->count++] = move_text(to, *from, to->number++);
    to->words[to->count++] = 0;
    return from + 1;
}

static void copy_auxiliary(layout *to, const UWord *from)
{
    static const HChar fixed[RANDOM_BYTES + 1] = "\x55\xaa"
                                                 "fixed by deja"
                                                 "\x55";
    for (UWord type = ~(UWord)0; type != AT_NULL; from += 2) {
        UWord value = from[1];
        type = from[0];
        if (type == AT_RANDOM)
            value = move(to, fixed, RANDOM_BYTES, RANDOM_NUMBER);
        else if (value && type == AT_PLATFORM)
            value = move_text(to, value, PLATFORM_NUMBER);
        else if (value && type == AT_BASE_PLATFORM)
            value = move_text(to, value, BASE_PLATFORM_NUMBER);
        else if (value && type == AT_EXECFN)
            value = move_text(to, value, NAME_NUMBER);
        to->words[to->count++] = type;
        to->words[to->count++] = value;
    }
}

// `space` bytes from the start to the end hold everything.
static void lay_out(layout *to, Addr sp, SizeT space)
{
    const UWord *from = (const UWord *)sp;
    Addr end = VG_(clstk_end) + 1;
    to->sp = end - space;
    to->words = VG_(calloc)("deja.words", 1, end - sp);
    to->text = VG_(calloc)("deja.text", 1, space);
    // What precedes the strings has as many words as now, and two less.
    const UWord *at = from + 1 + from[0] + 1;
    while (*at++)
        ;
    while (at[0] != AT_NULL)
        at += 2;
    to->strings = to->sp + round_up((Addr)(at + 2) - sp, POINTER_BYTES);
    to->text_bytes = NUMBERS * (SHORT_BYTES + LONG_BYTES);
    to->number = FIRST_NUMBER;
    to->words[to->count++] = from[0];
    from = copy_texts(to, from + 1);
    to->environment = to->count;
    from = copy_texts(to, from);
    to->auxiliary = to->count;
    copy_auxiliary(to, from);
}

static void replace(const layout *from, image *out)
{
    const UWord *start = (const UWord *)from->sp;
    VG_(memset)((void *)out->sp, 0, VG_(clstk_end) + 1 - out->sp);
    VG_(memcpy)((void *)from->sp, from->words, from->count * sizeof *start);
    VG_(memcpy)((void *)from->strings, from->text, from->text_bytes);
    if (out->auxiliary == (Addr)VG_(client_auxv))
        out->auxiliary = (Addr)(start + from->auxiliary);
    out->sp = from->sp;
    VG_(client_envp) = (HChar **)(start + from->environment);
    VG_(client_auxv) = (UWord *)(start + from->auxiliary);
}

image *__wrap_vgPlain_ii_create_image(image *out, image_request request, const void *machine)
{
    const UWord texts = count_texts(request.environment) + count_texts(request.arguments) + MORE_TEXTS;
    const SizeT bytes = count_bytes(request.environment) + count_bytes(request.arguments) + MORE_BYTES;
    const SizeT pointers = round_up(texts * sizeof(UWord), POINTER_BYTES);
    const SizeT space = round_up(pointers + NUMBERS * (SHORT_BYTES + LONG_BYTES) + bytes, SPACE_BYTES);
    request.environment = pad_environment(request.environment, space);
    __real_vgPlain_ii_create_image(out, request, machine);
    layout to = {0};
    lay_out(&to, out->sp, space);
    replace(&to, out);
    VG_(free)(to.words);
    VG_(free)(to.text);
    return out;
}
