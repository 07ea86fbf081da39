/* Changes files, and reads a watcher's notifications.

   usage: changes prepare FOLDER COUNT
          changes paced FOLDER COUNT RATE SOURCE
          changes create|delete FOLDER COUNT PID SOURCE
   SOURCE is "pipe", for the standard input, or ADDRESS GREETING-IN-HEX ANSWER (see load.h). A file's name ends in a
   token, "chg" and six digits, which is looked for in all that comes; its first sight counts.

   paced: COUNT changes of files that "prepare" made for it, RATE a second: by turns one created, written,
   renamed and removed. Prints within how many microseconds of the change half of them were told, and 99 of 100.

   create, delete: COUNT files in ten folders below FOLDER, as fast as can be. A PID above zero is stopped
   meanwhile, so that the kernel's queue for it overflows. Prints "over" at the end, with the clock's nanoseconds,
   and when all are told or nothing has come for three seconds, how many were told and how long after the end. */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { token_size = 9, folders = 10 };
static const int64_t silence = INT64_C(3000000000);

static const char *folder;
static long count, told;
/* The time of the first notification of each change, 0 until then. */
static int64_t *times, last_told;
static int source;

static void make_source(int arguments, char **argument) {
    if (arguments == 1 && strcmp(argument[0], "pipe") == 0) {
        source = STDIN_FILENO;
    } else if (arguments == 3) {
        source = connect_to(argument[0]);
        struct bytes greeting = bytes_of(argument[1]);
        send_all(source, greeting.start, greeting.count);
        await_answer(source, argument[2]);
    } else {
        errno = EINVAL;
        fail("what to listen to");
    }
    if (fcntl(source, F_SETFL, fcntl(source, F_GETFL) | O_NONBLOCK) < 0) fail("fcntl");
}

/* The number of the token at this position, or -1. */
static long number_at(const char *token) {
    if (memcmp(token, "chg", 3) != 0) return -1;
    long number = 0;
    for (int index = 3; index < token_size; index++) {
        if (token[index] < '0' || token[index] > '9') return -1;
        number = number * 10 + (token[index] - '0');
    }
    return number < count ? number : -1;
}

/* Reads the available bytes; returns whether there were any. */
static int listen_once(void) {
    static char buffer[1 << 20];
    static size_t rest;
    ssize_t got = read(source, buffer + rest, sizeof buffer - rest);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (got < 0) fail("the watcher");
    if (got == 0) return 0;
    int64_t time = now();
    char *next = buffer, *end = buffer + rest + got;
    while (end - next >= token_size && (next = memchr(next, 'c', (size_t)(end - next) - token_size + 1))) {
        long number = number_at(next);
        if (number < 0) {
            next++;
            continue;
        }
        next += token_size;
        if (times[number] != 0) continue;
        times[number] = last_told = time;
        told++;
    }
    if (!next) next = end - token_size + 1;
    /* A possible start of a token waits for its end. */
    rest = (size_t)(end - next) < token_size ? (size_t)(end - next) : token_size - 1;
    memmove(buffer, end - rest, rest);
    return 1;
}

/* Reads until this time. */
static void listen_until(int64_t time) {
    for (int64_t left; (left = time - now()) > 0 && told < count;) {
        struct pollfd ready = {.fd = source, .events = POLLIN};
        struct timespec timeout = {left / 1000000000, left % 1000000000};
        if (ppoll(&ready, 1, &timeout, NULL) > 0 && !listen_once() && (ready.revents & POLLHUP))
            sleep_until(time); /* The watcher has gone. */
    }
}

/* The file to be renamed is "old" until then, which is no token. */
static void place(char *path, size_t size, const char *kind, long number) {
    snprintf(path, size, "%s/%s%06ld", folder, kind, number);
}

static void write_file(const char *path, int flags, int64_t *changed) {
    int file = open(path, O_WRONLY | O_CLOEXEC | flags, 0644);
    if (file < 0 || write(file, "text", 4) != 4) fail(path);
    if (changed) *changed = now();
    close(file);
}

static void prepare(void) {
    char path[4096];
    for (long number = 0; number < count; number++) {
        place(path, sizeof path, number % 4 == 2 ? "old" : "chg", number);
        if (number % 4 != 0) write_file(path, O_CREAT, NULL);
    }
}

static void change(long number, int64_t *changed) {
    char path[4096], old[4096];
    place(path, sizeof path, "chg", number);
    switch (number % 4) {
    case 0: write_file(path, O_CREAT | O_EXCL, changed); break;
    case 1: write_file(path, O_TRUNC, changed); break;
    case 2:
        place(old, sizeof old, "old", number);
        *changed = now();
        if (rename(old, path) < 0) fail(path);
        break;
    default:
        *changed = now();
        if (unlink(path) < 0) fail(path);
    }
}

static void run_paced(long rate) {
    int64_t *changed = calloc((size_t)count, sizeof *changed), *delays = calloc((size_t)count, sizeof *delays);
    if (!changed || !delays) fail("calloc");
    int64_t start = now() + 50000000;
    for (long number = 0; number < count; number++) {
        int64_t due = start + number * (INT64_C(1000000000) / rate);
        listen_until(due);
        sleep_until(due);
        change(number, &changed[number]);
    }
    for (int64_t end = now() + silence; told < count && now() < end;) listen_until(end);
    size_t found = 0;
    for (long number = 0; number < count; number++)
        if (times[number] != 0) delays[found++] = times[number] - changed[number];
    sort_times(delays, found);
    printf("{\"told\": %zu, \"half\": %.2f, \"most\": %.2f}\n", found, share_of(delays, found, 0.5),
           share_of(delays, found, 0.99));
}

static void run_burst(int creates, pid_t stopped) {
    char path[4096];
    if (stopped > 0 && kill(stopped, SIGSTOP) < 0) fail("kill");
    int64_t start = now();
    for (long number = 0; number < count; number++) {
        snprintf(path, sizeof path, "%s/%ld/chg%06ld", folder, number % folders, number);
        if (creates)
            write_file(path, O_CREAT, NULL);
        else if (unlink(path) < 0)
            fail(path);
        if (number % 16 == 0) listen_once();
    }
    int64_t end = now();
    if (stopped > 0 && kill(stopped, SIGCONT) < 0) fail("kill");
    printf("over %lld\n", (long long)end);
    fflush(stdout);
    for (int64_t from = end; told < count; from = last_told > from ? last_told : from) {
        listen_until(from + silence);
        if (now() - (last_told > end ? last_told : end) >= silence) break;
    }
    printf("{\"told\": %ld, \"took\": %.2f, \"behind\": %.2f}\n", told, (double)(end - start) / 1e6,
           last_told > end ? (double)(last_told - end) / 1e6 : 0);
}

int main(int arguments, char **argument) {
    if (arguments < 4) {
        fputs("usage: changes prepare FOLDER COUNT\n"
              "       changes paced FOLDER COUNT RATE SOURCE\n"
              "       changes create|delete FOLDER COUNT PID SOURCE\n",
              stderr);
        return 2;
    }
    const char *what = argument[1];
    folder = argument[2];
    count = count_of(argument[3]);
    times = calloc((size_t)count, sizeof *times);
    if (!times) fail("calloc");
    if (strcmp(what, "prepare") == 0) {
        prepare();
        return 0;
    }
    if (arguments < 6 || count > 999999) {
        errno = EINVAL;
        fail("arguments");
    }
    make_source(arguments - 5, argument + 5);
    if (strcmp(what, "paced") == 0)
        run_paced(count_of(argument[4]));
    else
        run_burst(strcmp(what, "create") == 0, (pid_t)atol(argument[4]));
    return 0;
}
