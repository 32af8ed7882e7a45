#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A child that can be stopped before each of its keyring system calls (add_key, request_key, keyctl): a seccomp filter
 * makes the kernel ask the parent first. This needs no privilege. The child makes one keyring call at a time. A program that it
 * starts counts as a part of it. */
struct test_process {
    pid_t id;           /* 0 if no child was started */
    int listener;       /* the descriptor on which the kernel asks; -1 once the child has ended */
    int stop_before;    /* the number of the call before which the child stops, from 1; 0 for none */
    int calls;          /* the number of calls that the child has begun */
    int operation;      /* the call before which the child has stopped: a keyctl operation, or -1 for add_key */
    uint64_t stopped;   /* the kernel's id for that call; 0 while the child runs */
    int status;         /* the child's wait status, from waitpid */
};

/* Forks a child that is killed when its parent ends. Returns 0 in the child, its id in the parent, -1 on failure. */
pid_t test_pause_fork(void);

/* Forks, and returns in the parent once the child has called test_process_begin. Returns 0 in the child, its id in the
 * parent, -1 on failure. */
pid_t test_process_fork(struct test_process *process, int stop_before);

/* Starts counting the child's calls; called in the child. Ends the child if the filter can't be installed. */
void test_process_begin(struct test_process *process);

/* Lets the children run until each one has stopped or ended. Returns false if that takes longer than `milliseconds`. */
bool test_processes_run(struct test_process *processes, int count, int milliseconds);

/* Lets a stopped child continue until its next stop. `stop_before` counts calls from the start; 0 for no more stops. */
void test_process_resume(struct test_process *process, int stop_before);

/* Kills a child where it has stopped, and waits for it to end. */
void test_process_kill(struct test_process *process);
