#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>

/* What a child is given; a negative descriptor leaves the child ours. */
struct child_setup {
    char *const *words;
    char *const *environment;
    int input;
    int output;
    /* The signals that are blocked in it. */
    const sigset_t *mask;
};

/* What a child does before it is the program. */
enum child_step { CHILD_TIED, CHILD_CONNECTED, CHILD_SIGNALS_SET, CHILD_EXECUTED };

/* What a child could not do, and why. */
struct child_failure {
    enum child_step step;
    int code;
};

/* Starts a child that is killed when the calling thread ends. Returns its process ID, or -1 where it could not be started,
   and says why. Descriptors below 3 must not be used for input and output. */
pid_t start_child_or_tell(const struct child_setup *setup, struct child_failure *failure);

/* The same, with the negated error number where it could not be started. */
pid_t start_child(const struct child_setup *setup);

/* Has the kernel kill this process when its parent ends; 0, or -1 with errno, which is ESRCH where the parent has ended
   already. To be said again after an exec by which the user changes. */
int end_with_parent(pid_t parent);

/* Forks twice, so that nobody waits for what goes on: 1 in the process that was forked, 0 in this one, which waits for
   nothing else, -1 where there is none. The other one has a session of its own and nothing open. */
int fork_detached(void);

/* The environment, which Swift would take for shared mutable state. */
char **current_environment(void);
