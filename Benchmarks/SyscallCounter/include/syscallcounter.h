#ifndef SYSCALL_COUNTER_H
#define SYSCALL_COUNTER_H

/* What code really does, seen from outside it. */

#include <sys/syscall.h>

enum { SYSTEM_CALLS = 512, KEYCTL = SYS_keyctl };

/* Runs `body` in a child process, twice, and counts the system calls that it makes the second time, by their numbers, as its
   tracer. `body` returns 0 if all is well. Returns -1 where it is not, or the kernel does not let the child be traced. */
int count_system_calls(int (*body)(void *), void *context, long counts[SYSTEM_CALLS]);

/* Counts the system calls of the calling thread and of all threads that it starts later, without stopping them. Returns a
   descriptor, or -1 without CAP_PERFMON or if /sys/kernel/tracing is not mounted. */
int open_call_counter(void);

/* The calls since the counter was opened; -1 if COUNTER is not one. */
long counted_calls(int counter);

/* What a function of preload.c tells, of the calling thread; -1 where the library was not preloaded. */
long counted(const char *name);

#endif
