#define _GNU_SOURCE
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    // The most processes that are found at once: others come up once these are dead.
    most_found = 32768,
    // How often the tree is searched for processes that are not stopped yet.
    most_rounds = 64,
    shortest_wait_milliseconds = 1,
    longest_wait_milliseconds = 1000,
};

static pid_t found[most_found];
static int found_count;
// What the search before had found.
static pid_t found_before[most_found];

// Adds the children of one thread.
static void find_children(pid_t process, const char *thread) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)process, thread);
    FILE *list = fopen(path, "re");
    if (!list) return;
    int child;
    while (found_count < most_found && fscanf(list, "%d", &child) == 1) {
        if (child > 1) found[found_count++] = child;
    }
    fclose(list);
}

// Adds the children of a process. Returns the number of its threads; at least one, of a process that has just gone, too.
static int find_below(pid_t process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *threads = opendir(path);
    if (!threads) return 1;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        count += 1;
        find_children(process, entry->d_name);
    }
    closedir(threads);
    return count > 0 ? count : 1;
}

// Fills `found` with all descendants, each after its parent. Returns the number of their threads, or one above `most`
// once they are more.
static int find_all(int most) {
    found_count = 0;
    find_below(getpid());
    int tasks = 0;
    for (int next = 0; next < found_count && tasks <= most; next++) tasks += find_below(found[next]);
    return tasks;
}

int tree_count(int most) {
    return find_all(most);
}

// A number that was read a moment ago can't be another process's by now: the kernel gives numbers in turn, and it takes
// seconds until it has used all of them.
static void signal_found(int signal) {
    for (int index = 0; index < found_count; index++) kill(found[index], signal);
}

// Reaps the children that have ended. Returns -1 when there is no child, or else how many it reaped.
static int reap(void) {
    int count = 0;
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) count += 1;
    return ended < 0 && errno == ECHILD ? -1 : count;
}

// Stops what is below, until two searches in a row find the same. Reaps between them: what multiplies as quickly as it
// ends would come to more and more that have ended, which a guard above this one counts.
static void stop_all(void) {
    int before = -1;
    for (int round = 0; round < most_rounds; round++) {
        reap();
        find_all(INT_MAX - 1);
        signal_found(SIGSTOP);
        if (found_count == before && memcmp(found, found_before, (size_t)found_count * sizeof found[0]) == 0) return;
        before = found_count;
        memcpy(found_before, found, (size_t)found_count * sizeof found[0]);
    }
}

void tree_kill(void) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    long wait = shortest_wait_milliseconds;
    for (;;) {
        stop_all();
        signal_found(SIGKILL);
        // What dies passes its children on to this process, so the last one that is reaped is the last of all.
        int ended = reap();
        if (ended < 0) return;
        if (ended > 0) wait = shortest_wait_milliseconds;
        struct timespec time = {.tv_sec = wait / 1000, .tv_nsec = (wait % 1000) * 1000000};
        sigtimedwait(&ends, NULL, &time);
        if (wait < longest_wait_milliseconds) wait *= 2;
    }
}
