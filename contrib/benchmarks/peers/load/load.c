#define _GNU_SOURCE
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void sleep_until(int64_t time) {
    struct timespec until = {time / 1000000000, time % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

static int connect_to_port(int port) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (stream < 0 || connect(stream, (struct sockaddr *)&name, sizeof name) < 0) fail("connect");
    setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return stream;
}

int connect_to(const char *address) {
    if (address[0] == ':') return connect_to_port(atoi(address + 1));
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (strlen(address) >= sizeof name.sun_path) {
        errno = ENAMETOOLONG;
        fail(address);
    }
    strcpy(name.sun_path, address);
    int stream = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (stream < 0 || connect(stream, (struct sockaddr *)&name, sizeof name) < 0) fail(address);
    return stream;
}

void send_all(int descriptor, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        ssize_t sent = send(descriptor, next, count, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) continue;
            fail("send");
        }
        next += sent;
        count -= (size_t)sent;
    }
}

static int digit_of(char letter) {
    const char *digits = "0123456789abcdef", *found = letter ? strchr(digits, letter) : NULL;
    if (!found) {
        errno = EINVAL;
        fail("an argument in hexadecimal digits");
    }
    return (int)(found - digits);
}

struct bytes bytes_of(const char *digits) {
    size_t count = strlen(digits) / 2;
    struct bytes result = {malloc(count + 1), count};
    if (!result.start) fail("malloc");
    for (size_t index = 0; index < count; index++)
        result.start[index] =
            (unsigned char)(digit_of(digits[2 * index]) << 4 | digit_of(digits[2 * index + 1]));
    return result;
}

void await_answer(int descriptor, const char *extent) {
    long left = 0;
    char kind = extent[0];
    if (sscanf(extent, "lines:%ld", &left) != 1 && sscanf(extent, "bytes:%ld", &left) != 1) {
        errno = EINVAL;
        fail(extent);
    }
    /* One byte at a time, so that nothing after the answer is read. */
    while (left > 0) {
        char byte;
        ssize_t got = read(descriptor, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got != 1) {
            if (got == 0) errno = ECONNRESET;
            fail("the answer to a greeting");
        }
        if (kind == 'b' || byte == '\n') left--;
    }
}

long count_of(const char *argument) {
    char *end;
    long count = strtol(argument, &end, 10);
    if (*end || count <= 0) {
        errno = EINVAL;
        fail(argument);
    }
    return count;
}

static int compare(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void sort_times(int64_t *times, size_t count) { qsort(times, count, sizeof *times, compare); }

double share_of(const int64_t *sorted, size_t count, double share) {
    if (count == 0) return -1;
    size_t index = (size_t)(share * (double)count);
    return (double)sorted[index < count ? index : count - 1] / 1e3;
}
