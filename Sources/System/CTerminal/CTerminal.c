#define _GNU_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
enum { CRASHES = sizeof crashes / sizeof crashes[0] };

// A stack that overflowed is no place for a handler. This one has room for the registers of all processors.
static char stack[64 << 10];
static struct sigaction former[CRASHES];

// What the handler reads; it is not changed while `is_armed`.
static volatile sig_atomic_t is_armed;
static int terminal;
static struct termios modes;
static unsigned char bytes[CTERMINAL_MOST];
static size_t count;

// Only calls that signal-safety(7) allows.
static void give_back(void) {
    size_t written = 0;
    while (written < count) {
        ssize_t more = write(terminal, bytes + written, count - written);
        if (more > 0) {
            written += (size_t)more;
        } else if (more < 0 && errno == EAGAIN) {
            // A terminal that nobody reads must not keep the program from its end.
            struct pollfd entry = {.fd = terminal, .events = POLLOUT};
            if (poll(&entry, 1, 500) <= 0) break;
        } else if (more == 0 || errno != EINTR) {
            break;
        }
    }
    // In the background the terminal is another program's, and the call would stop this one.
    if (tcgetpgrp(terminal) == getpgrp()) tcsetattr(terminal, TCSANOW, &modes);
}

static void handle(int number) {
    if (is_armed) {
        is_armed = 0;
        give_back();
    }
    for (int index = 0; index < CRASHES; index++) {
        if (crashes[index] == number) sigaction(number, &former[index], NULL);
    }
    // Blocked until the handler returns.
    raise(number);
}

static int handle_crashes(void) {
    static int is_done;
    if (is_done) return 0;
    stack_t place = {.ss_sp = stack, .ss_size = sizeof stack};
    if (sigaltstack(&place, NULL) < 0) return -1;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < CRASHES; index++) {
        if (sigaction(crashes[index], &action, &former[index]) < 0) return -1;
    }
    is_done = 1;
    return 0;
}

int cterminal_arm(int descriptor, const void *text, size_t length) {
    is_armed = 0;
    if (tcgetattr(descriptor, &modes) < 0) return -1;
    terminal = descriptor;
    count = length < sizeof bytes ? length : sizeof bytes;
    if (count > 0) memcpy(bytes, text, count);
    if (handle_crashes() < 0) return -1;
    is_armed = 1;
    return 0;
}

void cterminal_disarm(void) {
    is_armed = 0;
}
