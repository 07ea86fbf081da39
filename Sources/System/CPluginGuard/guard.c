// Both processes of the guard are single-threaded, and execute nothing but this folder until they end, so fork is safe
// here.
//
//     daemon - outer - inner - plugin - whatever it starts
//
// Each of the two adopts the orphans below it. The outer one is told of the daemon's end, the inner one of the outer
// one's, by the kernel; and each outer one sees the end of what is below it.
#define _GNU_SOURCE
#include "CPluginGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asking.h"
#include "tree.h"

enum {
    grace_milliseconds = 2000,
    // Where the kernel does not ask.
    count_milliseconds = 250,
    cannot_execute = 127,
    // How often, a millisecond apart, too many tasks are counted before it is believed: those that have ended may
    // still be seen.
    counts = 4,
    // That of a plugin that is a unit.
    niceness = 10,
    count_of_arguments = 8,
    daemon_has_ended = SIGUSR1,
    outer_has_ended = SIGUSR2,
};

// What the arguments say.
struct order {
    rlim_t space;
    rlim_t descriptors;
    int tasks;
    int too_many;
    const char *folder;
    char **program;
};

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

static sigset_t guard_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, daemon_has_ended);
    sigaddset(&signals, outer_has_ended);
    return signals;
}

// Makes this process one that adopts orphans, and that gets `signal` once `parent` has ended.
static int watch_over(pid_t parent, int signal) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, signal);
    prctl(PR_SET_NAME, "pickerd-guard");
    return !parent_is_gone(parent);
}

// Never returns.
static void become_plugin(pid_t guard, const struct order *order, int socket) {
    setpgid(0, 0);
    // If the guard is killed, so is the plugin.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent_is_gone(guard)) _exit(cannot_execute);
    // Clients, and the daemon that answers them, go before what it reads for them, as they do where plugins are
    // units.
    setpriority(PRIO_PROCESS, 0, niceness);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, order->descriptors);
    if (order->space > 0) limit(RLIMIT_AS, order->space);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // Before all that may take long: the guard waits for it.
    if (order->tasks > 0) asking_begin(socket);
    close(socket);
    if (chdir(order->folder) != 0) {
        complain("there is no way into the folder", order->folder);
        _exit(cannot_execute);
    }
    execv(order->program[0], order->program);
    complain("the program can't be started:", order->program[0]);
    _exit(cannot_execute);
}

static int64_t now_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Ends this process as its child ended.
static int end_by(int signal_number) {
    limit(RLIMIT_CORE, 0);
    signal(signal_number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal_number);
    raise(signal_number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    return 128 + signal_number;
}

static int end_like(const siginfo_t *end) {
    return end->si_code == CLD_EXITED ? end->si_status : end_by(end->si_status);
}

// Reaps the orphans that have ended. Returns whether `child` has ended, which it does not reap.
static int has_ended(pid_t child, siginfo_t *end) {
    for (;;) {
        memset(end, 0, sizeof *end);
        if (waitid(P_ALL, 0, end, WEXITED | WNOHANG | WNOWAIT) != 0 || end->si_pid == 0) return 0;
        if (end->si_pid == child) return 1;
        waitpid(end->si_pid, NULL, 0);
    }
}

// Counts the tasks of the plugin. Returns the number, which is above `most` only if it is again and again; 0 when the
// plugin has ended.
static int count_tasks(pid_t plugin, int most) {
    siginfo_t end;
    int tasks = 0;
    for (int count = 0; count < counts; count++) {
        if (count > 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        // Orphans that have ended would be counted, too. They are not reaped when the plugin has ended, but then all of
        // it is over anyway.
        if (has_ended(plugin, &end)) return 0;
        tasks = tree_count(most);
        if (tasks <= most) break;
    }
    return tasks;
}

// The inner one ---------------------------------------------------------------------------------------------------

// What the inner one waits for.
struct watch {
    int signals;
    // For the kernel's questions; -1 where it asks none.
    int questions;
    // When the plugin is killed, in milliseconds; -1 unless it was told to end.
    int64_t deadline;
    // When the tasks are counted next, in milliseconds; -1 where the kernel asks.
    int64_t next_count;
    // How many tasks the plugin may begin before they are counted again.
    int free;
};

// How long to wait for signals and questions.
static int patience(const struct watch *watch) {
    int64_t next = watch->deadline;
    if (next < 0 || (watch->next_count >= 0 && watch->next_count < next)) next = watch->next_count;
    if (next < 0) return -1;
    int64_t left = next - now_milliseconds();
    return left > 0 ? (int)left : 0;
}

static void take_signals(struct watch *watch, pid_t plugin) {
    struct signalfd_siginfo got;
    while (read(watch->signals, &got, sizeof got) == sizeof got) {
        if (got.ssi_signo == SIGTERM) kill(-plugin, SIGTERM);
        if (got.ssi_signo == outer_has_ended) {
            watch->deadline = 0;
        } else if (got.ssi_signo != SIGCHLD && watch->deadline < 0) {
            // If the daemon has ended, the other end of descriptor 3 has ended with it, which tells the plugin.
            watch->deadline = now_milliseconds() + grace_milliseconds;
        }
    }
}

// Waits for something to do, and does it. Returns whether the plugin has too many tasks.
static int turn(struct watch *watch, pid_t plugin, const struct order *order) {
    struct pollfd sources[] = {{watch->signals, POLLIN, 0}, {watch->questions, POLLIN, 0}};
    int ready = poll(sources, 2, patience(watch));
    if (ready > 0 && sources[0].revents) take_signals(watch, plugin);
    if (watch->deadline >= 0 && now_milliseconds() >= watch->deadline) {
        kill(-plugin, SIGKILL);
        watch->deadline = -1;
        return 0;
    }
    if (ready > 0 && sources[1].revents & POLLIN) {
        unsigned long long question = asking_next(watch->questions);
        if (question == 0) return 0;
        // It is counted when there may be no room for another one, not for each.
        if (watch->free <= 0) watch->free = order->tasks - count_tasks(plugin, order->tasks - 1);
        if (watch->free <= 0) return 1;
        watch->free -= 1;
        asking_allow(watch->questions, question);
    } else if (ready > 0 && sources[1].revents) {
        // Nobody is left who could ask.
        close(watch->questions);
        watch->questions = -1;
        watch->next_count = now_milliseconds();
    }
    // By the clock, and not when it is quiet: something may end, which is a signal, all the time.
    if (watch->next_count >= 0 && now_milliseconds() >= watch->next_count) {
        if (count_tasks(plugin, order->tasks) > order->tasks) return 1;
        watch->next_count = now_milliseconds() + count_milliseconds;
    }
    return 0;
}

static int be_inner(pid_t outer, const struct order *order) {
    if (!watch_over(outer, outer_has_ended)) return cannot_execute;
    sigset_t signals = guard_signals();
    int sockets[2];
    struct watch watch = {
        .signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK),
        .questions = -1,
        .deadline = -1,
        .next_count = -1,
        .free = order->tasks - 1,
    };
    if (watch.signals < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        complain("there is no descriptor for", order->program[0]);
        return cannot_execute;
    }
    pid_t self = getpid();
    pid_t plugin = fork();
    if (plugin < 0) {
        complain("no process can be started for", order->program[0]);
        return cannot_execute;
    }
    if (plugin == 0) become_plugin(self, order, sockets[1]);
    // Here, too: whoever is first.
    setpgid(plugin, plugin);
    close(3);
    close(sockets[1]);
    if (order->tasks > 0) watch.questions = asking_receive(sockets[0]);
    close(sockets[0]);
    if (order->tasks > 0 && watch.questions < 0) watch.next_count = now_milliseconds() + count_milliseconds;

    siginfo_t end;
    int too_many = 0;
    while (!too_many && !has_ended(plugin, &end)) too_many = turn(&watch, plugin, order);
    if (too_many) {
        fprintf(stderr, "it has more than %d processes and threads, its limit: all of it is killed\n", order->tasks);
        fflush(stderr);
    }
    tree_kill();
    if (too_many) return end_by(order->too_many);
    if (end.si_code != CLD_EXITED && end.si_status == order->too_many) return end_by(SIGKILL);
    return end_like(&end);
}

// The outer one ---------------------------------------------------------------------------------------------------

static int be_outer(pid_t inner) {
    close(3);
    sigset_t signals = guard_signals();
    siginfo_t end;
    while (!has_ended(inner, &end)) {
        int got = sigwaitinfo(&signals, NULL);
        if (got == SIGTERM || got == daemon_has_ended) kill(inner, got);
    }
    // Nothing, unless the inner one was killed.
    tree_kill();
    return end_like(&end);
}

int cpluginguard_run(int count, char *arguments[]) {
    // Without a descriptor 3 one of the guard's own would be taken for it.
    if (count < count_of_arguments || fcntl(3, F_GETFD) < 0) {
        fputs("this is a part of pickerd, which starts it for the plugins that it runs\n", stderr);
        return 2;
    }
    pid_t daemon = (pid_t)strtol(arguments[1], NULL, 10);
    struct order order = {
        .space = strtoull(arguments[2], NULL, 10),
        .descriptors = strtoull(arguments[3], NULL, 10),
        .tasks = (int)strtol(arguments[4], NULL, 10),
        .too_many = (int)strtol(arguments[5], NULL, 10),
        .folder = arguments[6],
        .program = arguments + 7,
    };

    // All that matters comes as a signal that is waited for.
    sigset_t signals = guard_signals();
    sigprocmask(SIG_SETMASK, &signals, NULL);
    if (!watch_over(daemon, daemon_has_ended)) return cannot_execute;

    pid_t self = getpid();
    pid_t inner = fork();
    if (inner < 0) {
        complain("no process can be started for", order.program[0]);
        return cannot_execute;
    }
    return inner == 0 ? be_inner(self, &order) : be_outer(inner);
}
