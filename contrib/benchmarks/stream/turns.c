// Measures how long the loop of a program that is not changed holds on between two waits, by taking the place
// of the C library's waits. What it finds is in a file that others may read and reset at any time.
//
// The first thread that waits is the loop. Its time is counted twice: as time that passed, and as time that it
// had a processor, which leaves out what other programs took from it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct figures {
    _Atomic uint64_t turns, longest, longest_on_processor, over_1ms, over_2ms, on_processor;
    /* Set by others while nothing is to be found: each wait then costs as much as without this library. */
    _Atomic uint64_t paused;
};

static struct figures *figures;
static _Atomic pid_t loop_thread;
/* When the turn under way began; 0 if that is not known. */
static _Thread_local uint64_t passed_since, processor_since;

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("TURNS_FILE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *figures, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED) figures = memory;
}

static void end_turn(void) {
    if (!figures) return;
    pid_t none = 0;
    if (!loop_thread) atomic_compare_exchange_strong(&loop_thread, &none, gettid());
    if (figures->paused || !passed_since) return;
    uint64_t passed = now(CLOCK_MONOTONIC) - passed_since;
    uint64_t processor = now(CLOCK_THREAD_CPUTIME_ID) - processor_since;
    figures->turns++;
    figures->on_processor += processor;
    if (passed > figures->longest) figures->longest = passed;
    if (processor > figures->longest_on_processor) figures->longest_on_processor = processor;
    if (processor > 1000000) figures->over_1ms++;
    if (processor > 2000000) figures->over_2ms++;
}

static void begin_turn(void) {
    passed_since = 0;
    if (!figures || figures->paused || loop_thread != gettid()) return;
    passed_since = now(CLOCK_MONOTONIC);
    processor_since = now(CLOCK_THREAD_CPUTIME_ID);
}

#define WAIT(name, parameters, ...)                                                              \
    int name parameters {                                                                        \
        static int(*real) parameters;                                                            \
        if (!real) real = (int(*) parameters)dlsym(RTLD_NEXT, #name);                            \
        end_turn();                                                                              \
        int result = real(__VA_ARGS__);                                                          \
        begin_turn();                                                                            \
        return result;                                                                           \
    }

WAIT(epoll_wait, (int set, struct epoll_event *events, int most, int timeout), set, events, most,
     timeout)
WAIT(epoll_pwait, (int set, struct epoll_event *events, int most, int timeout, const sigset_t *mask),
     set, events, most, timeout, mask)
WAIT(epoll_pwait2,
     (int set, struct epoll_event *events, int most, const struct timespec *timeout,
      const sigset_t *mask),
     set, events, most, timeout, mask)
