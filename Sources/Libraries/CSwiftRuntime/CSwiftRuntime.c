#define _GNU_SOURCE
#include "CSwiftRuntime.h"

#include <sys/syscall.h>
#include <unistd.h>

__attribute__((swiftcall)) struct serial_executor swift_task_getCurrentExecutor(void);
__attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(
    struct serial_executor executor, uint64_t flags);
__attribute__((swiftcall)) uintptr_t swift_task_getCurrent(void);

struct serial_executor current_executor(void) {
    struct serial_executor executor = swift_task_getCurrentExecutor();
    // Outside of actors the second word describes how the job was started.
    if (executor.identity == 0) executor.implementation = 0;
    return executor;
}

bool is_current_executor(struct serial_executor executor) {
    // No flag: the only existing one would let the runtime stop the program.
    return swift_task_isCurrentExecutorWithFlags(executor, 0);
}

uintptr_t current_task(void) { return swift_task_getCurrent(); }

bool is_first_thread(void) { return syscall(SYS_gettid) == getpid(); }
