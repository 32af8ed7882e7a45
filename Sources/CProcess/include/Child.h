#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>

/* What a child gets; with a negative descriptor it keeps ours. */
struct child_setup {
    char *const *words;
    char *const *environment;
    int input;
    int output;
    /* The signals that are blocked in it. */
    const sigset_t *mask;
};

/* The steps of a child before it becomes the program. */
enum child_step { CHILD_TIED, CHILD_CONNECTED, CHILD_SIGNALS_SET, CHILD_EXECUTED };

/* The step that failed in a child, and its error number. */
struct child_failure {
    enum child_step step;
    int code;
};

/* Starts a child that is killed when the calling thread ends. Returns its process ID once it has become the program, or -1,
   with the reason, if it could not. Input and output must not be standard descriptors. Between fork and exec the child
   makes nothing but system calls. */
pid_t start_child(const struct child_setup *setup, struct child_failure *failure);

/* Has the kernel kill this process when its parent ends. Returns 0, or -1 with errno, which is ESRCH if the parent has
   already ended. An exec that changes the user undoes it. */
int end_with_parent(pid_t parent);

/* Forks twice, so that nobody has to wait for the new process. Returns 1 in it, 0 in this process, and -1 if there is no
   new one. The new process has a session of its own, /dev/null for the standard descriptors, and no other descriptor. */
int fork_detached(void);

/* The environment; Swift refuses the global variable as shared mutable state. */
char **current_environment(void);
