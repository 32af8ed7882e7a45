#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A child that can be stopped before each of its keyring system calls (add_key, request_key, keyctl): a seccomp filter has the
 * kernel ask us first. No privilege is needed. The child has one thread and no children. */
struct test_process {
    pid_t id;           /* 0 where none was started */
    int listener;       /* where the kernel asks; -1 once the child has ended */
    int stop_before;    /* the call before which it is stopped, from 1; 0 for none */
    int calls;          /* how many calls it has begun */
    int operation;      /* what the call before which it stands would do: a keyctl operation, or -1 for add_key */
    uint64_t stopped;   /* the kernel's number of the call before which it stands; 0 while it runs */
    int status;         /* how it ended, as waitpid tells it */
};

/* Forks a child that is killed when its parent ends: 0 in the child, its id in the parent, -1 on failure. */
pid_t test_pause_fork(void);

/* Forks, and returns once the child has called test_process_begin: 0 in the child, its id in the parent, -1 on failure. */
pid_t test_process_fork(struct test_process *process, int stop_before);

/* In the child: from here on its calls are counted. Ends it where that is impossible. */
void test_process_begin(struct test_process *process);

/* Lets them run until each stands or has ended; false once the time is over. */
bool test_processes_run(struct test_process *processes, int count, int milliseconds);

/* Lets it go on from where it stands, up to the next stop, counted from the start; 0 for none. */
void test_process_resume(struct test_process *process, int stop_before);

/* Kills it where it stands, and waits for its end. */
void test_process_kill(struct test_process *process);
