#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

int clinux_open(const char *path, int flags, unsigned int mode) {
    return open(path, flags | O_CLOEXEC, (mode_t)mode);
}

int clinux_openat(int folder, const char *path, int flags, unsigned int mode) {
    return openat(folder, path, flags | O_CLOEXEC, (mode_t)mode);
}

int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

int clinux_set_cloexec(int descriptor) {
    int flags = fcntl(descriptor, F_GETFD);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
}

int clinux_eventfd(void) {
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

int clinux_signal_descriptor(int signal) {
    sigset_t set;
    sigemptyset(&set);
    if (sigaddset(&set, signal) < 0) return -1;
    int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int clinux_divert_output(void) {
    fflush(stdout);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR) return -1;
    return dup2(STDERR_FILENO, STDOUT_FILENO);
}

int clinux_memfd(const char *name) {
    return memfd_create(name, MFD_CLOEXEC);
}

int clinux_memfd_bounded(const char *name, int64_t size) {
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    if (ftruncate(file, size) == 0
        && fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
        return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

int clinux_rename_to_free(int folder, const char *name, int new_folder, const char *new_name) {
    return renameat2(folder, name, new_folder, new_name, RENAME_NOREPLACE);
}

int clinux_epoll(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

static int control(int set, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(set, operation, descriptor, &event);
}

int clinux_epoll_add(int set, int descriptor, uint32_t events, uint64_t token) {
    return control(set, EPOLL_CTL_ADD, descriptor, events, token);
}

int clinux_epoll_change(int set, int descriptor, uint32_t events, uint64_t token) {
    return control(set, EPOLL_CTL_MOD, descriptor, events, token);
}

int clinux_epoll_remove(int set, int descriptor) {
    return control(set, EPOLL_CTL_DEL, descriptor, 0, 0);
}

int clinux_epoll_ready(int set, struct clinux_ready *ready, int capacity, int milliseconds) {
    struct epoll_event events[64];
    int count = epoll_wait(set, events, capacity < 64 ? capacity : 64, milliseconds);
    for (int i = 0; i < count; i++) {
        ready[i].token = events[i].data.u64;
        ready[i].events = events[i].events;
    }
    return count;
}

int clinux_stream_socket(void) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int clinux_datagram_socket(void) {
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int clinux_stream_pair(int pair[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair);
}

static int make_address(struct sockaddr_un *address, const char *path, size_t length) {
    // One byte is reserved for the final NUL, which not every reader of an address adds.
    if (length == 0 || length >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    return 0;
}

int clinux_bind_path(int socket, const char *path, size_t length) {
    struct sockaddr_un address;
    if (make_address(&address, path, length) < 0)
        return -1;
    return bind(socket, (const struct sockaddr *)&address, sizeof address);
}

int clinux_connect_path(int socket, const char *path, size_t length) {
    struct sockaddr_un address;
    if (make_address(&address, path, length) < 0)
        return -1;
    return connect(socket, (const struct sockaddr *)&address, sizeof address);
}

int clinux_peer_user(int socket, uint32_t *user) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
        return -1;
    *user = peer.uid;
    return 0;
}

ssize_t clinux_send(int socket, const void *bytes, size_t count) {
    return send(socket, bytes, count, MSG_NOSIGNAL);
}

ssize_t clinux_send_gathering(int socket, const struct iovec *parts, size_t count) {
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = count};
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

int clinux_find_folder(const char *path) {
    return open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int clinux_status_at(
    int folder, const char *name, int follows_links, struct clinux_status *status) {
    struct statx raw;
    int flags = AT_EMPTY_PATH | AT_NO_AUTOMOUNT | (follows_links ? 0 : AT_SYMLINK_NOFOLLOW);
    if (statx(folder, name, flags, STATX_BASIC_STATS | STATX_BTIME, &raw) < 0)
        return -1;
    *status = (struct clinux_status){
        .mode = raw.stx_mode,
        .links = raw.stx_nlink,
        .owner = raw.stx_uid,
        .has_birth = (raw.stx_mask & STATX_BTIME) != 0,
        .size = raw.stx_size,
        .inode = raw.stx_ino,
        .device = makedev(raw.stx_dev_major, raw.stx_dev_minor),
        .modified_seconds = raw.stx_mtime.tv_sec,
        .birth_seconds = raw.stx_btime.tv_sec,
        .modified_nanoseconds = raw.stx_mtime.tv_nsec,
        .birth_nanoseconds = raw.stx_btime.tv_nsec,
    };
    return 0;
}

int clinux_working_folder(void) {
    return AT_FDCWD;
}

ssize_t clinux_directory_entries(int folder, void *buffer, size_t capacity) {
    return syscall(SYS_getdents64, folder, buffer, capacity);
}

// The C library has no function for it, and the kernel's header for it is not part of every distribution's headers.
int clinux_lower_io_priority(void) {
    const int process = 1, best_effort = 2, class_shift = 13, last_level = 7;
    return (int)syscall(SYS_ioprio_set, process, 0, best_effort << class_shift | last_level);
}

char *const *clinux_environment(void) {
    return environ;
}

int clinux_spawn_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int clinux_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    if (clinux_set_nonblocking(ends[0]) == 0) return 0;
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    errno = error;
    return -1;
}

int clinux_set_blocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
}

int clinux_process_descriptor(int process) {
    // Close-on-exec by itself.
    return (int)syscall(SYS_pidfd_open, process, 0);
}

const char *clinux_error_name(int error) {
    return strerrorname_np(error);
}

const char *clinux_error_text(int error) {
    return strerrordesc_np(error);
}

int clinux_processor_count(void) {
    cpu_set_t set;
    // It fails where the machine has more than a set has room for.
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? count : 1;
}

int clinux_waiting_bytes(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) < 0 ? -1 : count;
}

int clinux_eventfd_add(int descriptor) {
    return eventfd_write(descriptor, 1);
}

int clinux_eventfd_clear(int descriptor) {
    eventfd_t count;
    return eventfd_read(descriptor, &count);
}

int clinux_map_allocations(int bytes) {
    return mallopt(M_MMAP_THRESHOLD, bytes) ? 0 : -1;
}

int clinux_return_free_memory(void) {
    return malloc_trim(0);
}

// The program comes before its libraries.
static int unmap_read_only(struct dl_phdr_info *object, size_t size, void *sum) {
    (void)size;
    unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[index];
        // What may be written has relocated pages, which are not in the file.
        if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
        unsigned long start = (object->dlpi_addr + part->p_vaddr + page - 1) & ~(page - 1);
        unsigned long end = (object->dlpi_addr + part->p_vaddr + part->p_memsz) & ~(page - 1);
        if (start >= end) continue;
        if (madvise((void *)start, end - start, MADV_DONTNEED) == 0) *(long *)sum += (long)(end - start);
    }
    return 1;
}

long clinux_unmap_program(void) {
    long sum = 0;
    dl_iterate_phdr(unmap_read_only, &sum);
    return sum;
}
