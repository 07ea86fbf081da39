/* What the load programs share: the clock, sockets, arguments in hexadecimal, and shares of figures. */
#ifndef LOAD_H
#define LOAD_H

#include <stddef.h>
#include <stdint.h>

/* Says what failed and why, and ends the program. */
_Noreturn void fail(const char *what);

/* Nanoseconds of the clock that all programs of a machine share. */
int64_t now(void);
void sleep_until(int64_t time);

/* A stream to PATH of a Unix socket, or to 127.0.0.1 with ":PORT". */
int connect_to(const char *address);
void send_all(int descriptor, const void *bytes, size_t count);

struct bytes {
    unsigned char *start;
    size_t count;
};

/* What an argument of hexadecimal digits stands for. */
struct bytes bytes_of(const char *digits);

/* Waits for an answer: "lines:N" ends with the Nth line, "bytes:N" with the Nth byte. */
void await_answer(int descriptor, const char *extent);

/* A count in an argument; it is above zero. */
long count_of(const char *argument);

/* Sorts nanoseconds; then the one below which that share of them lies, in microseconds. */
void sort_times(int64_t *times, size_t count);
double share_of(const int64_t *sorted, size_t count, double share);

#endif
