/* This is C because a process is allowed to do very little between fork and exec, and a Swift function does more
   than its source shows. */

#define _GNU_SOURCE
#include "Child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int end_with_parent(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return -1;
    /* The parent can have ended before the call to prctl. */
    if (getppid() == parent)
        return 0;
    errno = ESRCH;
    return -1;
}

void outlive_parent(void) { prctl(PR_SET_PDEATHSIG, 0); }

/* Closes the descriptors from first to last, except 0 to 2. */
static void close_between(int first, int last)
{
    if (first < 3)
        first = 3;
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
        return;
    /* A kernel before 5.9. */
    for (int limit = (int)sysconf(_SC_OPEN_MAX); first <= last && first < limit; first++)
        close(first);
}

/* Returns a descriptor that is not a standard one, for the same file; a negative number for a negative one. */
static int above_standard(int descriptor)
{
    int moved;
    if (descriptor < 0 || descriptor > STDERR_FILENO)
        return descriptor;
    moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    close(descriptor);
    return moved;
}

static ssize_t write_whole(int descriptor, const void *bytes, size_t count)
{
    ssize_t written;
    while ((written = write(descriptor, bytes, count)) < 0 && errno == EINTR)
        ;
    return written;
}

static ssize_t read_whole(int descriptor, void *bytes, size_t count)
{
    ssize_t got;
    while ((got = read(descriptor, bytes, count)) < 0 && errno == EINTR)
        ;
    return got;
}

/* The action of SIGCHLD at this process's start; valid if has_other_action. */
static struct sigaction started_with;
static int has_other_action;

static int restore_child_action(void)
{
    return has_other_action ? sigaction(SIGCHLD, &started_with, NULL) : 0;
}

void become_program(char *const *words, char *const *environment)
{
    restore_child_action();
    has_other_action = 0;
    execvpe(words[0], words, environment);
}

static enum child_step become_child(const struct child_setup *setup, pid_t parent, const int gate[2])
{
    char byte;
    if (end_with_parent(parent) != 0)
        return CHILD_TIED;
    if ((setup->input >= 0 && dup2(setup->input, STDIN_FILENO) < 0)
        || (setup->output >= 0 && dup2(setup->output, STDOUT_FILENO) < 0))
        return CHILD_CONNECTED;
    if (setup->folder && *setup->folder && chdir(setup->folder) != 0)
        return CHILD_MOVED;
    if (restore_child_action() != 0 || sigprocmask(SIG_SETMASK, setup->mask, NULL) != 0)
        return CHILD_SIGNALS_SET;
    /* If the caller is killed, its end of the pipe must be the last. */
    close(gate[1]);
    if (read_whole(gate[0], &byte, 1) != 1)
        _exit(127);
    execvpe(setup->words[0], setup->words, setup->environment);
    return CHILD_EXECUTED;
}

/* Reports the step that failed with this errno, and ends this process. */
static _Noreturn void report_failure(int report, enum child_step step)
{
    const struct child_failure failure = { .step = step, .code = errno };
    write_whole(report, &failure, sizeof failure);
    _exit(127);
}

/* Closes all descriptors but these two, which can be negative, and 0 to 2. */
static void close_all_but(int kept, int other)
{
    int lower = kept < other ? kept : other, higher = kept < other ? other : kept;
    close_between(3, lower - 1);
    close_between(lower + 1, higher - 1);
    close_between(higher + 1, INT_MAX);
}

/* Reaps the processes that have become the guard's children, until the child has ended. Then writes its status, as
   from waitpid(2). Returns whether it has ended.

   The child stays a zombie, so that its process ID is not used again. */
static int report_end(pid_t child, int status)
{
    siginfo_t info;
    int code;
    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
            return 0;
        if (info.si_pid == child)
            break;
        waitpid(info.si_pid, NULL, WNOHANG);
    }
    code = info.si_code == CLD_EXITED ? info.si_status << 8
                                      : info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
    write_whole(status, &code, sizeof code);
    return 1;
}

/* Is the guard: starts the child, then writes its process ID and, at its end, its status. Ends when the caller closes
   the other end of the socket. */
static void guard_child(
    const struct child_setup *setup, pid_t parent, const int gate[2], int report, int status)
{
    enum child_step step = CHILD_GUARDED;
    struct pollfd wanted[2];
    struct signalfd_siginfo arrived;
    sigset_t all, ends;
    pid_t child = -1, guard = getpid();
    int arrivals = -1, has_ended = 0;
    sigfillset(&all);
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    if (sigprocmask(SIG_SETMASK, &all, NULL) == 0 && end_with_parent(parent) == 0
        && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0
        && (arrivals = above_standard(signalfd(-1, &ends, SFD_CLOEXEC))) >= 0) {
        step = CHILD_STARTED;
        child = fork();
    }
    if (child == 0)
        step = become_child(setup, guard, gate);
    if (child <= 0)
        report_failure(report, step);
    write_whole(status, &child, sizeof child);
    for (int i = 0; i < setup->secret_count; i++)
        madvise(setup->secrets[i].iov_base, setup->secrets[i].iov_len, MADV_DONTNEED);
    /* Nobody must wait for the guard's copies of the caller's files. */
    close_all_but(arrivals, status);
    wanted[0] = (struct pollfd) { .fd = arrivals, .events = POLLIN };
    wanted[1] = (struct pollfd) { .fd = status, .events = POLLIN };
    do {
        if (!has_ended)
            has_ended = report_end(child, status);
        poll(wanted, 2, -1);
        if (wanted[0].revents)
            read_whole(arrivals, &arrived, sizeof arrived);
    } while (!wanted[1].revents);
    /* The first process of a container possibly doesn't wait for children that it gets. */
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    _exit(0);
}

static void close_pair(const int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

int prepare_child(const struct child_setup *setup, struct waiting_child *waiting, struct child_failure *failure)
{
    int report[2], status[2] = { -1, -1 }, *gate = waiting->gate;
    const struct sigaction usual = { .sa_handler = SIG_DFL };
    pid_t child, parent = getpid();
    failure->step = CHILD_STARTED;
    if (pipe2(report, O_CLOEXEC) != 0) {
        failure->code = errno;
        return -1;
    }
    if (pipe2(gate, O_CLOEXEC) != 0) {
        failure->code = errno;
        close_pair(report);
        return -1;
    }
    if (setup->guard && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, status) != 0) {
        failure->code = errno;
        close_pair(report);
        close_pair(gate);
        return -1;
    }
    /* If a standard descriptor is closed, one of these can get its number. */
    report[1] = above_standard(report[1]);
    gate[0] = above_standard(gate[0]);
    gate[1] = above_standard(gate[1]);
    status[0] = above_standard(status[0]);
    status[1] = above_standard(status[1]);
    if (report[1] < 0 || gate[0] < 0 || gate[1] < 0 || (setup->guard && (status[0] < 0 || status[1] < 0))) {
        failure->code = errno;
        close_pair(report);
        close_pair(gate);
        close_pair(status);
        return -1;
    }
    /* If SIGCHLD is ignored, waitpid can't report a child. Each program gets the first action. */
    if (!has_other_action)
        has_other_action = sigaction(SIGCHLD, &usual, &started_with) == 0;
    child = fork();
    if (child == 0 && setup->guard)
        guard_child(setup, parent, gate, report[1], status[1]);
    if (child == 0)
        report_failure(report[1], become_child(setup, parent, gate));
    failure->code = errno;
    close(report[1]);
    waiting->process = child;
    waiting->report = report[0];
    if (setup->guard) {
        close(status[1]);
        setup->guard->process = child;
        setup->guard->status = status[0];
        if (child > 0 && read_whole(status[0], &waiting->process, sizeof child) != sizeof child)
            waiting->process = -1;
    }
    if (waiting->process > 0)
        return 0;
    /* The guard says why it could not start the child. */
    if (child > 0)
        read_whole(waiting->report, failure, sizeof *failure);
    close(waiting->report);
    close_pair(gate);
    if (setup->guard)
        end_guard(setup->guard);
    return -1;
}

pid_t run_child(const struct child_setup *setup, struct waiting_child *waiting, struct child_failure *failure)
{
    ssize_t count;
    /* The other end is still open here, so a child that has already failed does not end us with SIGPIPE. */
    write_whole(waiting->gate[1], "", 1);
    close_pair(waiting->gate);
    count = read_whole(waiting->report, failure, sizeof *failure);
    close(waiting->report);
    if (count == 0)
        return waiting->process;
    if (setup->guard)
        end_guard(setup->guard);
    else
        waitpid(waiting->process, NULL, 0);
    return -1;
}

pid_t start_child(const struct child_setup *setup, struct child_failure *failure)
{
    struct waiting_child waiting;
    return prepare_child(setup, &waiting, failure) == 0 ? run_child(setup, &waiting, failure) : -1;
}

void end_guard(const struct child_guard *guard)
{
    close(guard->status);
    /* Somebody can have stopped it. */
    if (guard->process > 0)
        kill(guard->process, SIGCONT);
    while (guard->process > 0 && waitpid(guard->process, NULL, 0) < 0 && errno == EINTR)
        ;
}

int fork_detached(int kept, int other)
{
    int status = 0, null;
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child > 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        return status == 0 ? 0 : -1;
    }
    setsid();
    child = fork();
    if (child != 0)
        _exit(child < 0);
    null = open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (null < 0 || dup2(null, descriptor) < 0)
            _exit(1);
    close_all_but(kept, other);
    return 1;
}

int watch_process(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

void keep_memory_private(void)
{
    const struct rlimit none = { 0, 0 };
    prctl(PR_SET_DUMPABLE, 0);
    setrlimit(RLIMIT_CORE, &none);
}

char **current_environment(void) { return environ; }
