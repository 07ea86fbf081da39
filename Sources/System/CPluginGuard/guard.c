// The process is single-threaded, and executes nothing but this file until it ends, so fork is safe here.
#define _GNU_SOURCE
#include "CPluginGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { grace_seconds = 2, cannot_execute = 127 };

// What a process becomes that lost its parent before the kernel was asked to tell.
static int parent_is_gone(pid_t parent) {
    return getppid() != parent;
}

static void limit(int resource, rlim_t value) {
    struct rlimit old;
    if (getrlimit(resource, &old) != 0) return;
    if (old.rlim_max != RLIM_INFINITY && value > old.rlim_max) value = old.rlim_max;
    struct rlimit new = {.rlim_cur = value, .rlim_max = value};
    setrlimit(resource, &new);
}

static void complain(const char *what, const char *subject) {
    fprintf(stderr, "%s '%s': %s\n", what, subject, strerror(errno));
    fflush(stderr);
}

// Never returns.
static void become_plugin(pid_t guard, rlim_t space, rlim_t descriptors, const char *folder, char *program[]) {
    setpgid(0, 0);
    // If the guard is killed, so is the plugin.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent_is_gone(guard)) _exit(cannot_execute);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, descriptors);
    if (space > 0) limit(RLIMIT_AS, space);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir(folder) != 0) {
        complain("there is no way into the folder", folder);
        _exit(cannot_execute);
    }
    execv(program[0], program);
    complain("the program can't be started:", program[0]);
    _exit(cannot_execute);
}

// Kills the direct children of this process, to which the orphans of all below it have become children, too.
// Returns whether their list could be read.
static int kill_children(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *list = fopen(path, "re");
    if (!list) return 0;
    int child;
    while (fscanf(list, "%d", &child) == 1) {
        if (child > 1) kill(child, SIGKILL);
    }
    fclose(list);
    return 1;
}

// Kills what is left of the plugin, which has ended and is not reaped yet, so that the number of its group belongs to
// no one else. Each child that is killed passes its own children on to the guard, so the loop ends with the last
// descendant.
static void kill_all(pid_t plugin) {
    kill(-plugin, SIGKILL);
    for (;;) {
        int has_list = kill_children();
        pid_t ended = waitpid(-1, NULL, has_list ? 0 : WNOHANG);
        if (ended == 0 || (ended < 0 && errno == ECHILD)) return;
    }
}

static int64_t now_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Waits for the next signal of the set, until the deadline; -1 means for ever. Returns 0 when it is over.
static int next_signal(const sigset_t *signals, int64_t deadline) {
    for (;;) {
        int got;
        if (deadline < 0) {
            got = sigwaitinfo(signals, NULL);
        } else {
            int64_t left = deadline - now_milliseconds();
            if (left < 0) left = 0;
            struct timespec time = {.tv_sec = left / 1000, .tv_nsec = (left % 1000) * 1000000};
            got = sigtimedwait(signals, NULL, &time);
        }
        if (got > 0) return got;
        if (errno == EAGAIN) return 0;
    }
}

// Ends this process as its child ended.
static int end_like(const siginfo_t *end) {
    if (end->si_code == CLD_EXITED) return end->si_status;
    limit(RLIMIT_CORE, 0);
    signal(end->si_status, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, end->si_status);
    raise(end->si_status);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    return 128 + end->si_status;
}

// Reaps the orphans that have ended. Returns whether the plugin has ended, which it does not reap.
static int plugin_has_ended(pid_t plugin, siginfo_t *end) {
    for (;;) {
        memset(end, 0, sizeof *end);
        if (waitid(P_ALL, 0, end, WEXITED | WNOHANG | WNOWAIT) != 0 || end->si_pid == 0) return 0;
        if (end->si_pid == plugin) return 1;
        waitpid(end->si_pid, NULL, 0);
    }
}

int cpluginguard_run(int count, char *arguments[]) {
    if (count < 6) {
        fputs("this is a part of pickerd, which starts it for the plugins that it runs\n", stderr);
        return 2;
    }
    pid_t daemon = (pid_t)strtol(arguments[1], NULL, 10);
    rlim_t space = strtoull(arguments[2], NULL, 10);
    rlim_t descriptors = strtoull(arguments[3], NULL, 10);

    // All that matters comes as a signal that is waited for.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    if (parent_is_gone(daemon)) return cannot_execute;
    prctl(PR_SET_NAME, "pickerd-guard");

    pid_t self = getpid();
    pid_t plugin = fork();
    if (plugin < 0) {
        complain("no process can be started for", arguments[5]);
        return cannot_execute;
    }
    if (plugin == 0) become_plugin(self, space, descriptors, arguments[4], arguments + 5);
    // Here, too: whoever is first.
    setpgid(plugin, plugin);
    close(3);

    siginfo_t end;
    int64_t deadline = -1;
    while (!plugin_has_ended(plugin, &end)) {
        switch (next_signal(&signals, deadline)) {
        case SIGTERM:
            kill(-plugin, SIGTERM);
            if (deadline < 0) deadline = now_milliseconds() + grace_seconds * 1000;
            break;
        case SIGUSR1:
            // The daemon has ended, and with it the other end of descriptor 3, which tells the plugin.
            if (deadline < 0) deadline = now_milliseconds() + grace_seconds * 1000;
            break;
        case 0:
            kill(-plugin, SIGKILL);
            deadline = -1;
            break;
        default: break;
        }
    }
    kill_all(plugin);
    return end_like(&end);
}
