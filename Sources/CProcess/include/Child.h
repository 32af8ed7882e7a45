#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <sys/uio.h>

/* The program, environment and descriptors of a child. With a negative descriptor, the child keeps the caller's. */
struct child_setup {
    char *const *words;
    char *const *environment;
    int input;
    int output;
    /* The signals that are blocked in the child. */
    const sigset_t *mask;
    /* The child's working folder; NULL or empty for the caller's. */
    const char *folder;
    /* The process that keeps the child's descendants together, which start_child starts; NULL for none. */
    struct child_guard *guard;
    /* The memory that the guard, a copy of the caller, must not keep: secrets. */
    const struct iovec *secrets;
    int secret_count;
};

/* A process between the caller and the child. If a parent below it ends, its children become the guard's
   (PR_SET_CHILD_SUBREAPER), so all that the child has started stays below the guard. It blocks all signals, reaps
   its other children until the child has ended, keeps the child's process ID from being used again, and ends by
   end_guard, or when the thread that started it ends.
   Then its remaining children become those of the next subreaper, as if there had been no guard. */
struct child_guard {
    pid_t process;
    /* A descriptor from which the child's status, as from waitpid(2), can be read when the child has ended. */
    int status;
};

/* The child's steps before it becomes the program. CHILD_STARTED fails if there can't be another process or file. */
enum child_step {
    CHILD_STARTED,
    CHILD_GUARDED,
    CHILD_TIED,
    CHILD_CONNECTED,
    CHILD_MOVED,
    CHILD_SIGNALS_SET,
    CHILD_EXECUTED
};

/* The child's failed step, and its errno. */
struct child_failure {
    enum child_step step;
    int code;
};

/* A child that waits before it becomes its program: descriptors to let it continue, and to learn why it can't. */
struct waiting_child {
    pid_t process;
    int gate[2];
    int report;
};

/* Makes a child that the kernel kills when the calling thread ends, and that waits before it becomes its program. If the
   caller ends meanwhile, so does the child, even if the caller was killed. Returns 0; otherwise -1, with the reason in
   failure. Input and output must not be standard descriptors. Between fork and exec, the child makes only system calls. */
int prepare_child(const struct child_setup *setup, struct waiting_child *waiting, struct child_failure *failure);

/* Lets the child become its program, and closes the descriptors; call it once, in any thread. Returns the child's
   process ID after a successful exec; otherwise -1, with the reason in failure. */
pid_t run_child(const struct child_setup *setup, struct waiting_child *waiting, struct child_failure *failure);

/* Prepares a child and runs it. */
pid_t start_child(const struct child_setup *setup, struct child_failure *failure);

/* Becomes a program, with the action of SIGCHLD that this process was started with. Returns only if that fails, with
   errno. */
void become_program(char *const *words, char *const *environment);

/* Ends the guard. If the child still runs, the kernel kills it. Its descendants continue. */
void end_guard(const struct child_guard *guard);

/* Makes the kernel kill this process when its parent ends. Returns 0, or -1 with errno, which is ESRCH if the parent
   has already ended. An exec that changes the user undoes it. */
int end_with_parent(pid_t parent);

/* Undoes end_with_parent, for a step that must be completed. */
void outlive_parent(void);

/* Forks twice, so that no process has to wait for the new one. Returns 1 in the new process and 0 in the caller,
   or -1 if there is no new process. The new process has its own session, /dev/null as its standard descriptors,
   and no other descriptors than these two, if they are not negative. */
int fork_detached(int kept, int other);

/* Returns a descriptor that can be read when the process has ended: pidfd_open(2). Returns -1 if the
   process has ended already, or never existed. */
int watch_process(pid_t process);

/* Keeps other processes of the user from reading this process's memory, and the kernel from writing it to a file. */
void keep_memory_private(void);

/* Returns the environment. Swift refuses the global variable because it is shared mutable state. */
char **current_environment(void);
