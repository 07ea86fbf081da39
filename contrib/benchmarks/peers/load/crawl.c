/* What a watcher does at its start at the least: a watch for each folder, its names, a statx of each entry.

   usage: crawl FOLDER
   One thread, which keeps the name and 32 bytes of each file. Prints the numbers of files and folders, the
   milliseconds, and the resident memory in MB. */
#define _GNU_SOURCE
#include "load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    uint64_t size;
    int64_t modified;
    uint32_t name, folder, mode, reserved;
};

static struct file *files;
static size_t file_count, file_room;
static char *names;
static size_t names_used, names_room;
/* The folders that are still to be read; the last goes first. */
static char **pending;
static size_t pending_count, pending_room, folder_count;

/* Memory with room for so many elements. */
static void *grown(void *memory, size_t needed, size_t *room, size_t size) {
    if (needed <= *room) return memory;
    size_t more = *room ? *room : 4096;
    while (more < needed) more *= 2;
    memory = realloc(memory, more * size);
    if (!memory) fail("realloc");
    *room = more;
    return memory;
}

static void add_folder(const char *parent, const char *name) {
    char *path;
    if (asprintf(&path, "%s/%s", parent, name) < 0) fail("asprintf");
    pending = grown(pending, pending_count + 1, &pending_room, sizeof *pending);
    pending[pending_count++] = path;
}

static void add_file(const char *name, const struct statx *found) {
    size_t size = strlen(name) + 1;
    names = grown(names, names_used + size, &names_room, 1);
    files = grown(files, file_count + 1, &file_room, sizeof *files);
    memcpy(names + names_used, name, size);
    files[file_count++] = (struct file){
        .size = found->stx_size,
        .modified = found->stx_mtime.tv_sec * INT64_C(1000000000) + found->stx_mtime.tv_nsec,
        .name = (uint32_t)names_used,
        .folder = (uint32_t)folder_count,
        .mode = found->stx_mode,
    };
    names_used += size;
}

static void read_folder(int queue, const char *path) {
    static char buffer[1 << 17] __attribute__((aligned(__alignof__(struct dirent64))));
    /* Before it is read, so that nothing that arrives meanwhile is missed. */
    if (inotify_add_watch(queue, path, IN_CREATE | IN_CLOSE_WRITE | IN_MOVE | IN_DELETE | IN_ATTRIB) < 0)
        fail(path);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) fail(path);
    ssize_t got;
    while ((got = getdents64(folder, buffer, sizeof buffer)) > 0) {
        for (char *next = buffer; next < buffer + got;) {
            struct dirent64 *entry = (struct dirent64 *)next;
            next += entry->d_reclen;
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
            struct statx found;
            if (statx(folder, entry->d_name, AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC, STATX_BASIC_STATS,
                      &found) < 0)
                fail(entry->d_name);
            if (S_ISDIR(found.stx_mode))
                add_folder(path, entry->d_name);
            else
                add_file(entry->d_name, &found);
        }
    }
    if (got < 0) fail(path);
    close(folder);
    folder_count++;
}

int main(int arguments, char **argument) {
    if (arguments != 2) {
        fputs("usage: crawl FOLDER\n", stderr);
        return 2;
    }
    int64_t start = now();
    int queue = inotify_init1(IN_CLOEXEC);
    if (queue < 0) fail("inotify");
    read_folder(queue, argument[1]);
    while (pending_count > 0) {
        char *path = pending[--pending_count];
        read_folder(queue, path);
        free(path);
    }
    double took = (double)(now() - start) / 1e6;
    long all = 0, resident = 0;
    FILE *memory = fopen("/proc/self/statm", "r");
    if (!memory || fscanf(memory, "%ld %ld", &all, &resident) != 2) fail("/proc/self/statm");
    fclose(memory);
    printf("{\"files\": %zu, \"folders\": %zu, \"ms\": %.2f, \"resident\": %.1f}\n", file_count, folder_count, took,
           (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6);
    return 0;
}
