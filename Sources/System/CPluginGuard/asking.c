#define _GNU_SOURCE
#include "asking.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE AUDIT_ARCH_RISCV64
#endif

// Since Linux 5.19: a signal does not make the process ask again that has asked already.
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

// Older kernels can ask, but not go on afterwards, and don't say so before.
static int kernel_can_go_on(void) {
    struct utsname name;
    int major = 0, minor = 0;
    if (uname(&name) != 0 || sscanf(name.release, "%d.%d", &major, &minor) != 2) return 0;
    return major > 5 || (major == 5 && minor >= 5);
}

static int listen_to_forks(void) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !kernel_can_go_on()) return -1;
#if defined(NATIVE)
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        // Calls of another architecture have other numbers; no service of a plugin may make them either.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
        // x32 has the same architecture and other numbers.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
#endif
#if defined(__NR_fork)
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_fork, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_vfork, 3, 0),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    };
    struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
    // The second flag keeps the processor as fast as it is without a filter.
    unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    long descriptor = syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &filter);
    if (descriptor < 0 && errno == EINVAL) {
        descriptor = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
    }
    return (int)descriptor;
#else
    return -1;
#endif
}

// The place for one descriptor in a message.
union passing {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

void asking_begin(int socket) {
    int descriptor = listen_to_forks();
    if (descriptor < 0) return;
    char byte = 0;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    union passing passing;
    memset(&passing, 0, sizeof passing);
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &passing, .msg_controllen = sizeof passing};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    // If it does not arrive, no one answers, and each fork fails.
    sendmsg(socket, &message, MSG_NOSIGNAL);
    close(descriptor);
}

int asking_receive(int socket) {
    char byte;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    union passing passing;
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &passing, .msg_controllen = sizeof passing};
    ssize_t count;
    do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    struct cmsghdr *head = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!head || head->cmsg_type != SCM_RIGHTS) return -1;
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
    return descriptor;
}

unsigned long long asking_next(int descriptor) {
    // The kernel may know longer structures than the header that this was built with.
    union {
        struct seccomp_notif notification;
        char room[512];
    } question;
    memset(&question, 0, sizeof question);
    if (ioctl(descriptor, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) return 0;
    return question.notification.id;
}

void asking_allow(int descriptor, unsigned long long question) {
    union {
        struct seccomp_notif_resp response;
        char room[512];
    } answer;
    memset(&answer, 0, sizeof answer);
    answer.response.id = question;
    answer.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(descriptor, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
