// SPDX-License-Identifier: MIT
// Requests and answers between a program and its helper process: numbers and strings in one buffer. Both
// sides are the same build on the same machine.
#ifndef DEJA_SYMBOLS_HELPER_MESSAGE_H
#define DEJA_SYMBOLS_HELPER_MESSAGE_H

#include <deja/error.h>

// What a request asks for. A message may hold several; one answer follows, with the answers of all.
enum dj_symbols_request {
    DJ_REQUEST_FOLDER,     // where files may be
    DJ_REQUEST_FLOW_ONLY,  // nothing else will be asked for
    DJ_REQUEST_ADD,        // id, path, identity
    DJ_REQUEST_MODULE,     // id → state of its file
    DJ_REQUEST_FUNCTIONS,  // id → all ranges
    DJ_REQUEST_FUNCTION,   // id, offset → its number, and frames if variables were asked for before
    DJ_REQUEST_FIND,       // id, name, most
    DJ_REQUEST_CODES,      // count, then id and offset of each
    DJ_REQUEST_STATEMENTS, // id, window → runs of equal answers
    DJ_REQUEST_LATCHES,    // id, offset → all ranges of the function
    DJ_REQUEST_FLOW,       // id, offset → its numbers
    DJ_REQUEST_GLOBAL,     // id, offset → the variable there, and those after it
    DJ_REQUEST_LOCAL,      // function, pc, offset
    DJ_REQUEST_FRAME,      // function, pc → all offsets, there and in the code after it
    DJ_REQUEST_ELEMENTS,   // count, then variable, offset, bytes and any_index of each
    DJ_REQUEST_POINTER,    // id, offset
};

// The statements of this many bytes of code are sent at once.
enum { DJ_WINDOW_BYTES = 256 };

typedef struct dj_message {
    uint8_t *bytes;
    size_t count, capacity;
    size_t at;   // of the next value to get
    bool failed; // memory ran out, or there was no such value
} dj_message;    // zero-initialized: empty

void dj_message_free(dj_message *message);
void dj_message_clear(dj_message *message); // keeps its memory

void dj_message_put(dj_message *message, uint64_t number);
void dj_message_put_text(dj_message *message, const char *text); // NULL and "" are distinct

void dj_message_append(dj_message *message, const dj_message *more);

// After the end: 0, and `failed`.
uint64_t dj_message_get(dj_message *message);
// Valid until the message changes.
const char *dj_message_get_text(dj_message *message, size_t *length);

enum dj_transfer { DJ_TRANSFER_OK, DJ_TRANSFER_ENDED, DJ_TRANSFER_LATE, DJ_TRANSFER_MEMORY };

// Each passes a message as a whole. Receiving replaces what was in the message.
enum dj_transfer dj_message_send(dj_message *message, int fd);
enum dj_transfer dj_message_receive(dj_message *message, int fd);

#endif
