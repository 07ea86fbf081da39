/* The common parts of the load programs: the clock, sockets, hexadecimal arguments, and percentiles. */
#ifndef LOAD_H
#define LOAD_H

#include <stddef.h>
#include <stdint.h>

/* Prints the failure and its reason, and exits. */
_Noreturn void fail(const char *what);

/* Nanoseconds of the system-wide clock. */
int64_t now(void);
void sleep_until(int64_t time);

/* A stream to the Unix socket PATH, or to 127.0.0.1 with ":PORT". */
int connect_to(const char *address);
void send_all(int descriptor, const void *bytes, size_t count);

struct bytes {
    unsigned char *start;
    size_t count;
};

/* Decodes an argument of hexadecimal digits. */
struct bytes bytes_of(const char *digits);

/* Waits for an answer: "lines:N" ends with the Nth line, "bytes:N" with the Nth byte. */
void await_answer(int descriptor, const char *extent);

/* Parses a positive count. */
long count_of(const char *argument);

/* Sorts nanoseconds and returns the percentile of this share, in microseconds. */
void sort_times(int64_t *times, size_t count);
double share_of(const int64_t *sorted, size_t count, double share);

#endif
