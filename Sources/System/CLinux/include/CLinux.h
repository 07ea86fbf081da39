// Linux calls that Swift's Glibc module lacks or cannot import (GNU extensions, variadic functions, structures
// behind feature macros). Only plain integers and pointers: a GNU header here would clash with other modules'
// view of the C library, so those headers are included in CLinux.c only.
//
// Each function makes one system call and keeps its convention: -1 and errno on failure. None retries or keeps
// state. SystemInterface reads the errors in one place.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

// Descriptors: all are close-on-exec.
int clinux_open(const char *path, int flags, unsigned int mode);
int clinux_openat(int folder, const char *path, int flags, unsigned int mode);
int clinux_accept(int listener);  // the new connection does not block
int clinux_set_nonblocking(int descriptor);
int clinux_set_cloexec(int descriptor);
int clinux_eventfd(void);  // does not block
int clinux_memfd(const char *name);
int clinux_memfd_bounded(const char *name, int64_t size);  // its size never changes
// Fails with EEXIST if there is a file of the new name.
int clinux_rename_to_free(int folder, const char *name, int new_folder, const char *new_name);
int clinux_pipe(int ends[2]);  // the first, for reading, does not block
int clinux_set_blocking(int descriptor);

// Readiness of descriptors, EPOLL… of epoll_ctl(2) in `events`
struct clinux_ready {
    uint64_t token;
    uint32_t events;
};
int clinux_epoll(void);
int clinux_epoll_add(int set, int descriptor, uint32_t events, uint64_t token);
int clinux_epoll_change(int set, int descriptor, uint32_t events, uint64_t token);
int clinux_epoll_remove(int set, int descriptor);
// Waits until one is ready or the time is up; -1 means for ever. `capacity` is at most 64.
int clinux_epoll_ready(int set, struct clinux_ready *ready, int capacity, int milliseconds);

// Sockets
int clinux_stream_socket(void);  // AF_UNIX; does not block
int clinux_datagram_socket(void);
int clinux_stream_pair(int pair[2]);  // neither end blocks
int clinux_bind_path(int socket, const char *path, size_t length);
int clinux_connect_path(int socket, const char *path, size_t length);
int clinux_peer_user(int socket, uint32_t *user);
// Never raises SIGPIPE.
ssize_t clinux_send(int socket, const void *bytes, size_t count);
ssize_t clinux_send_gathering(int socket, const struct iovec *parts, size_t count);

// Files
struct clinux_status {
    uint32_t mode;
    uint32_t links;
    uint32_t owner;
    uint32_t has_birth;
    uint64_t size;
    uint64_t inode;
    uint64_t device;
    int64_t modified_seconds;
    int64_t birth_seconds;
    uint32_t modified_nanoseconds;
    uint32_t birth_nanoseconds;
};

// Opens a folder as the base of other calls only (O_PATH), not through a link at the end.
int clinux_find_folder(const char *path);
// An empty name means the descriptor itself. `folder` may be clinux_working_folder().
int clinux_status_at(int folder, const char *name, int follows_links, struct clinux_status *status);
int clinux_working_folder(void);
// Raw struct linux_dirent64 records; 0 at the end.
ssize_t clinux_directory_entries(int folder, void *buffer, size_t capacity);

// Processes: adds closing of all descriptors from `first` on to a posix_spawn_file_actions_t. An
// exception to the convention: it returns an error number.
int clinux_spawn_close_from(void *actions, int first);

// A descriptor that is readable once the process, a child, has ended.
int clinux_process_descriptor(int process);

// A descriptor that is readable once the process got the signal, which it then ignores otherwise. The calling thread, and
// all that it starts from now on, no longer take it.
int clinux_signal_descriptor(int signal);
// From now on, what is written to the standard output goes to the standard error, line by line; it is lost
// where nobody reads that any more.
int clinux_divert_output(void);

// Threads: the calling thread waits for disks behind all others of normal priority (best effort, the last of its levels).
int clinux_lower_io_priority(void);

// The variables of this process: C strings "NAME=VALUE", then NULL.
char *const *clinux_environment(void);

// Names: NULL for an unknown number.
const char *clinux_error_name(int error);
const char *clinux_error_text(int error);

// The processors that the calling thread may use, as of sched_getaffinity(2). Exception to the convention: at least 1.
int clinux_processor_count(void);

// The bytes that can be read now, as of FIONREAD of ioctl(2).
int clinux_waiting_bytes(int descriptor);

// eventfd_write(3) and eventfd_read(3)
int clinux_eventfd_add(int descriptor);
int clinux_eventfd_clear(int descriptor);

// Memory: allocations of at least so many bytes get pages of their own, always.
int clinux_map_allocations(int bytes);
// Returns whole pages of freed memory to the system. Exceptions to the convention: 1 if there were any, else 0.
int clinux_return_free_memory(void);
// Unmaps the pages of the program that are never written; each is mapped again when it is used. Returns their bytes, 0
// if there were none.
long clinux_unmap_program(void);
