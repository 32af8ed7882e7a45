#pragma once

#include <sys/types.h>

/* Installs a seccomp filter for the whole process, for tests of what happens when the kernel says no or the process dies.
 * What it does: fails with `error`, or kills the process (SIGSYS) where error is 0.
 * Where: at keyctl with this operation; at every call of the key facility for -1; at add_key for -2; at prctl for -3, mlock2 for -4,
 * signalfd4 for -5, renameat2 and openat with O_TMPFILE for -6.
 * Returns 0, or an errno. */
int test_filter_install(int operation, int error);

/* fork(2), which Swift does not offer. */
int test_fork(void);

/* Starts a program as from a fresh login: every signal with its default action and none blocked, as the leader of a process
 * group, with these files as standard input, output and error, and no others, and with the session keyring that the tests were
 * started with, or none. Not for a forked child. Returns 0, or an errno. */
int test_spawn(pid_t *child, const char *program, char *const words[], char *const environment[], const int files[3]);

/* A pipe that no program inherits. */
int test_pipe(int ends[2]);

/* The bytes of the heap that are in use, as mallinfo2(3) has them. */
long test_heap_size(void);
