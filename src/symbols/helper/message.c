// SPDX-License-Identifier: MIT
#include "symbols/helper/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static const size_t capacity_least = 4096;

#define NO_TEXT UINT64_MAX

void dj_message_free(dj_message *message)
{
    free(message->bytes);
    *message = (dj_message){0};
}

void dj_message_clear(dj_message *message)
{
    message->count = message->at = 0;
    message->failed = false;
}

static bool reserve(dj_message *message, size_t more)
{
    size_t needed = message->count + more, capacity = message->capacity ? message->capacity : capacity_least;
    if (needed <= message->capacity)
        return true;
    while (capacity < needed)
        capacity *= 2;
    uint8_t *grown = realloc(message->bytes, capacity);
    if (!grown) {
        message->failed = true;
        return false;
    }
    message->bytes = grown;
    message->capacity = capacity;
    return true;
}

// The first number of a message is its length.
enum { HEAD_BYTES = sizeof(uint64_t) };

static void put_bytes(dj_message *message, const void *bytes, size_t count)
{
    if (message->failed || !reserve(message, HEAD_BYTES + count))
        return;
    if (message->count == 0)
        message->count = HEAD_BYTES;
    memcpy(message->bytes + message->count, bytes, count);
    message->count += count;
}

void dj_message_put(dj_message *message, uint64_t number)
{
    put_bytes(message, &number, sizeof number);
}

void dj_message_put_text(dj_message *message, const char *text)
{
    dj_message_put(message, text ? strlen(text) : NO_TEXT);
    if (text)
        put_bytes(message, text, strlen(text) + 1);
}

void dj_message_append(dj_message *message, const dj_message *more)
{
    if (more->count > HEAD_BYTES)
        put_bytes(message, more->bytes + HEAD_BYTES, more->count - HEAD_BYTES);
    message->failed |= more->failed;
}

uint64_t dj_message_get(dj_message *message)
{
    uint64_t number = 0;
    if (message->failed || message->count - message->at < sizeof number) {
        message->failed = true;
        return 0;
    }
    memcpy(&number, message->bytes + message->at, sizeof number);
    message->at += sizeof number;
    return number;
}

const char *dj_message_get_text(dj_message *message, size_t *length)
{
    uint64_t bytes = dj_message_get(message);
    *length = 0;
    if (message->failed || bytes == NO_TEXT)
        return NULL;
    if (bytes >= message->count - message->at || message->bytes[message->at + bytes] != 0) {
        message->failed = true;
        return NULL;
    }
    const char *text = (const char *)message->bytes + message->at;
    message->at += (size_t)bytes + 1;
    *length = (size_t)bytes;
    return text;
}

static enum dj_transfer outcome(ssize_t moved)
{
    return moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? DJ_TRANSFER_LATE : DJ_TRANSFER_ENDED;
}

enum dj_transfer dj_message_send(dj_message *message, int fd)
{
    const uint64_t count = message->count;
    if (message->failed || count < HEAD_BYTES)
        return DJ_TRANSFER_MEMORY;
    memcpy(message->bytes, &count, sizeof count);
    for (size_t at = 0; at < count;) {
        ssize_t sent = send(fd, message->bytes + at, count - at, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return outcome(sent);
        at += (size_t)sent;
    }
    return DJ_TRANSFER_OK;
}

// Both sides take turns, so that nothing of another message can follow.
enum dj_transfer dj_message_receive(dj_message *message, int fd)
{
    uint64_t count = HEAD_BYTES;
    dj_message_clear(message);
    for (size_t at = 0; at < count;) {
        if (count > SIZE_MAX / 4 || !reserve(message, (size_t)count))
            return DJ_TRANSFER_MEMORY;
        ssize_t got = recv(fd, message->bytes + at, message->capacity - at, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return outcome(got);
        at += (size_t)got;
        if (at >= HEAD_BYTES)
            memcpy(&count, message->bytes, sizeof count);
    }
    message->count = (size_t)count;
    message->at = HEAD_BYTES;
    return DJ_TRANSFER_OK;
}
