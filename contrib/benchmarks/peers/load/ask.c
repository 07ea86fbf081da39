/* Asks for the same thing again and again, on one connection or many; each asks once its last answer is there.

   usage: ask ADDRESS CONNECTIONS REQUESTS REQUEST-IN-HEX
   An answer is a line. Prints the requests of a second, and within how many microseconds half of them and 99 of 100
   were answered. */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct connection {
    int stream;
    int64_t asked;
};

static struct bytes request;
static char buffer[1 << 16];

static void ask(struct connection *connection) {
    connection->asked = now();
    send_all(connection->stream, request.start, request.count);
}

/* Whether the received bytes complete the answer. */
static int is_answered(struct connection *connection) {
    ssize_t got = read(connection->stream, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return 0;
    if (got == 0) errno = ECONNRESET;
    if (got <= 0) fail("an answer");
    return buffer[got - 1] == '\n';
}

int main(int count, char **arguments) {
    if (count != 5) {
        fputs("usage: ask ADDRESS CONNECTIONS REQUESTS REQUEST-IN-HEX\n", stderr);
        return 2;
    }
    long connections = count_of(arguments[2]), requests = count_of(arguments[3]);
    request = bytes_of(arguments[4]);
    int64_t *times = malloc((size_t)requests * sizeof *times);
    struct connection *all = calloc((size_t)connections, sizeof *all);
    int set = epoll_create1(EPOLL_CLOEXEC);
    if (!times || !all || set < 0) fail("ask");
    for (long index = 0; index < connections; index++) {
        all[index].stream = connect_to(arguments[1]);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &all[index]};
        if (epoll_ctl(set, EPOLL_CTL_ADD, all[index].stream, &event) < 0) fail("epoll_ctl");
    }
    long asked = 0, answered = 0;
    int64_t start = now();
    /* With one connection no poll is needed: the read blocks. */
    for (; connections == 1 && answered < requests; answered++) {
        ask(all);
        while (!is_answered(all)) {
        }
        times[answered] = now() - all->asked;
    }
    for (; asked < connections && asked < requests && connections > 1; asked++) ask(&all[asked]);
    while (answered < requests) {
        struct epoll_event ready[64];
        int found = epoll_wait(set, ready, 64, 10000);
        if (found == 0) errno = ETIMEDOUT;
        if (found <= 0) fail("an answer");
        for (int index = 0; index < found; index++) {
            struct connection *connection = ready[index].data.ptr;
            if (!is_answered(connection)) continue;
            times[answered++] = now() - connection->asked;
            if (asked < requests) {
                asked++;
                ask(connection);
            }
        }
    }
    double seconds = (double)(now() - start) / 1e9;
    sort_times(times, (size_t)requests);
    printf("{\"perSecond\": %.0f, \"half\": %.2f, \"most\": %.2f}\n", (double)requests / seconds,
           share_of(times, (size_t)requests, 0.5), share_of(times, (size_t)requests, 0.99));
    return 0;
}
