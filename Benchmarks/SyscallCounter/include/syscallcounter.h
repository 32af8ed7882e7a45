#ifndef SYSCALL_COUNTER_H
#define SYSCALL_COUNTER_H

/* Counts what code does, without help from that code. */

#include <sys/syscall.h>

enum { SYSTEM_CALLS = 512, KEYCTL = SYS_keyctl };

/* Runs `body` twice in a child process and traces the second run. Adds 1 to `counts[number]` for each system
   call of that run, except exit_group. `body` returns 0 on success. Returns -1 if `body` fails or the kernel
   does not allow tracing. */
int count_system_calls(int (*body)(void *), void *context, long counts[SYSTEM_CALLS]);

/* Starts counting the system calls of the calling thread and of all threads that it starts later, without stopping
   them. Returns a file descriptor, or -1 if the caller lacks CAP_PERFMON or /sys/kernel/tracing is not mounted. */
int open_call_counter(void);

/* Returns the number of calls since the counter was opened, or -1 if COUNTER is not a counter. */
long counted_calls(int counter);

/* Returns the calling thread's count from the function of preload.c with this name, or -1 if that library
   was not preloaded. */
long counted(const char *name);

#endif
