/* This is C because a process is allowed to do very little between fork and exec, and a Swift function does more
   than its source shows. */

#define _GNU_SOURCE
#include "Child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

static enum child_step become_child(const struct child_setup *setup, pid_t parent, const struct sigaction *childs)
{
    if (end_with_parent(parent) != 0)
        return CHILD_TIED;
    if ((setup->input >= 0 && dup2(setup->input, STDIN_FILENO) < 0)
        || (setup->output >= 0 && dup2(setup->output, STDOUT_FILENO) < 0))
        return CHILD_CONNECTED;
    if (setup->folder && *setup->folder && chdir(setup->folder) != 0)
        return CHILD_MOVED;
    if (setup->leads_group && setpgid(0, 0) != 0)
        return CHILD_GROUPED;
    if (sigaction(SIGCHLD, childs, NULL) != 0 || sigprocmask(SIG_SETMASK, setup->mask, NULL) != 0)
        return CHILD_SIGNALS_SET;
    execvpe(setup->words[0], setup->words, setup->environment);
    return CHILD_EXECUTED;
}

pid_t start_child(const struct child_setup *setup, struct child_failure *failure)
{
    int report[2];
    struct sigaction usual = { .sa_handler = SIG_DFL }, childs;
    pid_t child, parent = getpid();
    ssize_t count = 0;
    failure->step = CHILD_EXECUTED;
    if (pipe2(report, O_CLOEXEC) != 0) {
        failure->code = errno;
        return -1;
    }
    if (report[1] <= STDERR_FILENO) {
        /* If a standard descriptor is closed, the pipe can get its number. Move it to a higher one. */
        int moved = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
        close(report[1]);
        report[1] = moved;
    }
    /* If SIGCHLD is ignored, waitpid can't report a child. The child restores the previous action. */
    sigaction(SIGCHLD, &usual, &childs);
    child = fork();
    if (child == 0) {
        failure->step = become_child(setup, parent, &childs);
        failure->code = errno;
        while (write(report[1], failure, sizeof *failure) < 0 && errno == EINTR)
            ;
        _exit(127);
    }
    failure->code = errno;
    close(report[1]);
    if (child > 0) {
        while ((count = read(report[0], failure, sizeof *failure)) < 0 && errno == EINTR)
            ;
        if (count > 0)
            waitpid(child, NULL, 0);
    }
    close(report[0]);
    return count > 0 ? -1 : child;
}

int has_ended(pid_t child)
{
    siginfo_t info = { .si_pid = 0 };
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

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
    close_between(3, (kept < other ? kept : other) - 1);
    close_between((kept < other ? kept : other) + 1, (kept < other ? other : kept) - 1);
    close_between((kept < other ? other : kept) + 1, INT_MAX);
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
