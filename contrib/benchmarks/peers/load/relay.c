/* A minimal watcher: a file event, a stat of the file, a line of JSON to the connected clients.

   usage: relay SOCKET FOLDER [STORE]
   It watches FOLDER itself, and listens at SOCKET once it does. A client that does not read is disconnected when
   its socket is full.

   With STORE, a folder, it makes the system calls of a change that pickerd makes, and computes nothing: it watches for
   the same events, looks whether the folder is still the same, and before it tells anybody of a change, writes as much
   as pickerd does into two files in STORE, so that a kill loses nothing that was told. The line is as long, too. */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { client_most = 64 };
static struct pollfd watched[2 + client_most];
static nfds_t watched_count = 2;
static const char *folder;

enum { record_size = 181, mark_size = 148, told_size = 230 };
static int records = -1, mark = -1;
static off_t records_end;

static int create(const char *store, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", store, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) fail(path);
    return file;
}

/* Looks at a file in its folder, and at the folder. */
static int check(const char *name, struct statx *file) {
    int place = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0) fail(folder);
    struct statx status;
    if (statx(place, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status) < 0) fail(folder);
    int gone = statx(place, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, file);
    close(place);
    return gone;
}

static void store(void) {
    static const char bytes[record_size];
    if (pwrite(records, bytes, record_size, records_end) != record_size) fail("the records");
    records_end += record_size;
    if (pwrite(mark, bytes, mark_size, 0) != mark_size) fail("the mark");
}

static void tell(const char *line, size_t size) {
    for (nfds_t index = 2; index < watched_count;) {
        if (send(watched[index].fd, line, size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size) {
            index++;
        } else {
            close(watched[index].fd);
            watched[index] = watched[--watched_count];
        }
    }
}

static void relay_events(int queue) {
    static char buffer[1 << 16] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t got;
    while ((got = read(queue, buffer, sizeof buffer)) > 0) {
        for (char *next = buffer; next < buffer + got;) {
            struct inotify_event *event = (struct inotify_event *)next;
            next += sizeof *event + event->len;
            if (event->len == 0 || (event->mask & (IN_CREATE | IN_MODIFY | IN_MOVED_FROM))) continue;
            char path[4096], line[8192];
            snprintf(path, sizeof path, "%s/%s", folder, event->name);
            struct statx file = {0};
            int gone = records < 0 ? statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &file)
                                   : check(event->name, &file);
            int size = snprintf(
                line, sizeof line, "{\"gone\":%s,\"name\":\"%s\",\"size\":%llu,\"modified\":%lld}\n",
                gone ? "true" : "false", event->name, (unsigned long long)file.stx_size,
                (long long)file.stx_mtime.tv_sec);
            if (records >= 0) {
                if (size < told_size) {
                    memset(line + size - 1, ' ', (size_t)(told_size - size));
                    size = told_size;
                    line[size - 1] = '\n';
                }
                store();
            }
            tell(line, (size_t)size);
        }
    }
}

int main(int arguments, char **argument) {
    if (arguments != 3 && arguments != 4) {
        fputs("usage: relay SOCKET FOLDER [STORE]\n", stderr);
        return 2;
    }
    folder = argument[2];
    uint32_t wanted = IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE;
    if (arguments == 4) {
        wanted |= IN_CREATE | IN_MODIFY | IN_MOVED_FROM | IN_ATTRIB;
        records = create(argument[3], "records");
        mark = create(argument[3], "mark");
    }
    int queue = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (inotify_add_watch(queue, folder, wanted) < 0) fail(folder);
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s", argument[1]);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&name, sizeof name) < 0 || listen(listener, 16) < 0)
        fail(argument[1]);
    watched[0] = (struct pollfd){.fd = listener, .events = POLLIN};
    watched[1] = (struct pollfd){.fd = queue, .events = POLLIN};
    for (;;) {
        if (poll(watched, watched_count, -1) < 0 && errno != EINTR) fail("poll");
        if (watched[1].revents) relay_events(queue);
        for (nfds_t index = 2; index < watched_count;) {
            char bytes[256];
            if (watched[index].revents && recv(watched[index].fd, bytes, sizeof bytes, MSG_DONTWAIT) == 0) {
                close(watched[index].fd);
                watched[index] = watched[--watched_count];
            } else {
                index++;
            }
        }
        if (watched[0].revents) {
            int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
            if (client >= 0 && watched_count < 2 + client_most)
                watched[watched_count++] = (struct pollfd){.fd = client, .events = POLLIN};
            else if (client >= 0)
                close(client);
        }
    }
}
