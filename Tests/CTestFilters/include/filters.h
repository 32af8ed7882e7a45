#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Installs a seccomp filter for the whole process, to test how code behaves if the kernel refuses a call or the process
 * dies there. The filtered calls fail with `error`. If `error` is 0, the kernel kills the process instead (SIGSYS).
 *
 * `operation` selects the filtered calls: keyctl with this operation; or, if it is negative,
 *   -1: add_key, request_key and every keyctl    -2: add_key    -3: prctl    -4: mlock2    -5: signalfd4
 *
 * Returns 0, or an errno. */
int test_filter_install(int operation, int error);

/* fork(2), which Swift does not offer. */
int test_fork(void);

/* Starts a program as if from a fresh login. Every signal has its default action and none is blocked. The program leads
 * a process group, and has these files as standard input, output and error and no other files. If `in_session` is
 * false, it has the session keyring that the tests were started with, if there was one; otherwise that of the calling
 * thread. Don't call this in a forked child.
 * Returns 0, or an errno. */
int test_spawn(pid_t *child, const char *program, char *const words[], char *const environment[], const int files[3],
               bool in_session);

/* Creates a pipe that no program inherits. */
int test_pipe(int ends[2]);

/* Returns the number of bytes of the heap that are in use, according to mallinfo2(3). */
long test_heap_size(void);
