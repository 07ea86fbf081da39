/* One publisher, many subscribers, through a broker whose protocol the arguments hold.

   usage: fan ADDRESS SUBSCRIBERS MESSAGES RATE SUBSCRIBE ANSWER GREETING ANSWER BEFORE AFTER
   RATE is messages a second, or 0 for a flood: as many as fit, but never more than 512 ahead of the slowest
   subscriber, so that no broker has to drop any. SUBSCRIBE is what a subscriber says first, GREETING what the
   publisher does, each with the extent of its answer (see load.h); BEFORE and AFTER surround the 200 bytes of a
   message's JSON. All of these are in hexadecimal digits. Prints what was delivered, how much of it in a second,
   and within how many microseconds half of it and 99 of 100.

   All of it is one thread, so that a broker has the other processor of a small machine to itself. */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    message_size = 200,
    window = 512,
    batch_most = 64,
    /* '@' and the creation time of a message in nanoseconds; a broker sends '@' nowhere else. */
    stamp_size = 1 + 19,
};
static const int64_t patience = INT64_C(15000000000);

struct subscriber {
    int stream;
    long received;
    /* The start of an incomplete stamp. */
    char rest[stamp_size];
    size_t rest_count;
};

static struct subscriber *subscribers;
static long subscriber_count, message_count, sent;
static int publisher;
static struct bytes before, after;
/* The bytes not yet accepted by the publisher's socket. */
static char *batch;
static size_t batch_start, batch_end;
static int64_t *delays;
static long delivered;
static int64_t last_delivery;

static void write_message(void) {
    char text[message_size + 1];
    int count = snprintf(text, sizeof text,
                         "{\"at\":\"@%019lld\",\"number\":\"%08ld\",\"kind\":\"changed\",\"path\":\"/home/somebody/",
                         (long long)now(), sent);
    memset(text + count, 'n', (size_t)(message_size - 2 - count));
    memcpy(text + message_size - 2, "\"}", 2);
    memcpy(batch + batch_end, before.start, before.count);
    memcpy(batch + batch_end + before.count, text, message_size);
    memcpy(batch + batch_end + before.count + message_size, after.start, after.count);
    batch_end += before.count + message_size + after.count;
    sent++;
}

/* Sends pending bytes, as far as the socket accepts them. */
static void flush_batch(void) {
    while (batch_start < batch_end) {
        ssize_t taken =
            send(publisher, batch + batch_start, batch_end - batch_start, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (taken < 0 && errno == EAGAIN) return;
        if (taken < 0 && errno != EINTR) fail("the publisher");
        if (taken > 0) batch_start += (size_t)taken;
    }
    batch_start = batch_end = 0;
}

/* The number of further messages allowed by the slowest subscriber. */
static long room(void) {
    long least = message_count;
    for (long index = 0; index < subscriber_count; index++)
        if (subscribers[index].received < least) least = subscribers[index].received;
    long free = least + window - sent, left = message_count - sent;
    if (free > batch_most) free = batch_most;
    return free < left ? free : left;
}

static void receive(struct subscriber *subscriber) {
    static char buffer[1 << 18];
    memcpy(buffer, subscriber->rest, subscriber->rest_count);
    ssize_t got = recv(subscriber->stream, buffer + subscriber->rest_count,
                       sizeof buffer - subscriber->rest_count, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got == 0) errno = ECONNRESET;
    if (got <= 0) fail("a subscriber");
    int64_t time = now();
    char *next = buffer, *end = buffer + subscriber->rest_count + (size_t)got;
    subscriber->rest_count = 0;
    while ((next = memchr(next, '@', (size_t)(end - next)))) {
        if (end - next < stamp_size) {
            subscriber->rest_count = (size_t)(end - next);
            memcpy(subscriber->rest, next, subscriber->rest_count);
            break;
        }
        int64_t stamp = 0;
        for (int digit = 1; digit < stamp_size; digit++) stamp = stamp * 10 + (next[digit] - '0');
        next += stamp_size;
        if (delays) delays[delivered] = time - stamp;
        delivered++;
        last_delivery = time;
        if (++subscriber->received > message_count) {
            errno = EPROTO;
            fail("more messages than were sent");
        }
    }
}

/* Some brokers answer a publisher; the answers are discarded. */
static void discard_answers(void) {
    static char buffer[1 << 16];
    ssize_t got;
    while ((got = recv(publisher, buffer, sizeof buffer, MSG_DONTWAIT)) > 0) {
    }
    if (got == 0) {
        errno = ECONNRESET;
        fail("the publisher");
    }
}

static int connect_all(char **arguments) {
    struct bytes subscribe = bytes_of(arguments[5]), greeting = bytes_of(arguments[7]);
    int set = epoll_create1(EPOLL_CLOEXEC);
    for (long index = 0; index < subscriber_count; index++) {
        int stream = subscribers[index].stream = connect_to(arguments[1]);
        send_all(stream, subscribe.start, subscribe.count);
        await_answer(stream, arguments[6]);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &subscribers[index]};
        if (epoll_ctl(set, EPOLL_CTL_ADD, stream, &event) < 0) fail("epoll_ctl");
    }
    publisher = connect_to(arguments[1]);
    send_all(publisher, greeting.start, greeting.count);
    await_answer(publisher, arguments[8]);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_ctl(set, EPOLL_CTL_ADD, publisher, &event) < 0) fail("epoll_ctl");
    return set;
}

int main(int count, char **arguments) {
    if (count != 11) {
        fputs("usage: fan ADDRESS SUBSCRIBERS MESSAGES RATE SUBSCRIBE ANSWER GREETING ANSWER BEFORE AFTER\n",
              stderr);
        return 2;
    }
    subscriber_count = count_of(arguments[2]);
    message_count = count_of(arguments[3]);
    long rate = atol(arguments[4]), expected = subscriber_count * message_count;
    before = bytes_of(arguments[9]);
    after = bytes_of(arguments[10]);
    subscribers = calloc((size_t)subscriber_count, sizeof *subscribers);
    batch = malloc(batch_most * (before.count + message_size + after.count));
    if (rate > 0) delays = malloc((size_t)expected * sizeof *delays);
    if (!subscribers || !batch || (rate > 0 && !delays)) fail("malloc");
    int set = connect_all(arguments);
    int64_t start = now(), seen = start;
    last_delivery = start;
    while (delivered < expected) {
        int timeout = 100;
        if (rate > 0 && sent < message_count) {
            int64_t due = start + sent * (INT64_C(1000000000) / rate), left = due - now();
            if (left <= 0 && batch_end == 0) write_message();
            timeout = left <= 0 ? 0 : (int)(left / 1000000);
            /* The last millisecond is spent polling, since a wait ends too late. */
        } else if (rate == 0 && batch_end == 0) {
            for (long free = room(); free > 0; free--) write_message();
        }
        flush_batch();
        if (rate == 0 && batch_end == 0 && room() > 0) timeout = 0;
        if (batch_start < batch_end) timeout = 1;
        struct epoll_event ready[128];
        int found = epoll_wait(set, ready, 128, timeout);
        if (found < 0 && errno != EINTR) fail("epoll_wait");
        for (int index = 0; index < found; index++) {
            if (ready[index].data.ptr)
                receive(ready[index].data.ptr);
            else
                discard_answers();
        }
        if (found > 0) seen = now();
        if (now() - seen > patience) break;
    }
    double seconds = (double)(last_delivery - start) / 1e9;
    if (delays) sort_times(delays, (size_t)delivered);
    printf("{\"expected\": %ld, \"delivered\": %ld, \"perSecond\": %.0f", expected, delivered,
           (double)delivered / seconds);
    if (delays)
        printf(", \"half\": %.2f, \"most\": %.2f", share_of(delays, (size_t)delivered, 0.5),
               share_of(delays, (size_t)delivered, 0.99));
    puts("}");
    return 0;
}
