#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* In C, because between fork and exec a process may do next to nothing, and a Swift function does more than it shows. */

extern int pipe2(int descriptors[2], int flags);
extern int execvpe(const char *file, char *const arguments[], char *const environment[]);

/* What a child is given; a negative descriptor leaves the child ours. */
struct child_setup {
    char *const *words;
    char *const *environment;
    int input;
    int output;
    /* The signals that are blocked in it. */
    const sigset_t *mask;
};

/* Has the kernel kill this process when its parent ends; 0, or -1 where the parent has ended already. To be said again after
   an exec by which the user changes. */
static inline int end_with_parent(pid_t parent)
{
    /* The second look is for a parent that ended before the first. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return -1;
    return getppid() == parent ? 0 : -1;
}

static inline void become_child(const struct child_setup *setup, pid_t parent, const struct sigaction *childs, int report)
{
    int code;
    if (end_with_parent(parent) != 0)
        _exit(127);
    if ((setup->input < 0 || dup2(setup->input, STDIN_FILENO) >= 0)
        && (setup->output < 0 || dup2(setup->output, STDOUT_FILENO) >= 0)
        && sigaction(SIGCHLD, childs, NULL) == 0 && sigprocmask(SIG_SETMASK, setup->mask, NULL) == 0)
        execvpe(setup->words[0], setup->words, setup->environment);
    code = errno;
    while (write(report, &code, sizeof code) < 0 && errno == EINTR)
        ;
    _exit(127);
}

/* Starts a child that is killed when we end. Returns its process ID, or the negated error number where it could not be
   started. Descriptors below 3 must not be used for input and output. */
static inline pid_t start_child(const struct child_setup *setup)
{
    int report[2], code = 0;
    struct sigaction usual = { .sa_handler = SIG_DFL }, childs;
    pid_t child, parent = getpid();
    ssize_t count;
    if (pipe2(report, O_CLOEXEC) != 0)
        return -errno;
    if (report[1] <= STDERR_FILENO) {
        /* Where a standard descriptor is closed, the pipe must not take its place. */
        int moved = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
        close(report[1]);
        report[1] = moved;
    }
    /* One whose children are ignored could not wait for them. */
    sigaction(SIGCHLD, &usual, &childs);
    child = fork();
    if (child == 0)
        become_child(setup, parent, &childs, report[1]);
    code = child < 0 ? errno : 0;
    close(report[1]);
    if (child > 0) {
        while ((count = read(report[0], &code, sizeof code)) < 0 && errno == EINTR)
            ;
        if (count > 0)
            waitpid(child, NULL, 0);
    }
    close(report[0]);
    return code == 0 ? child : -code;
}

/* Forks twice, so that nobody waits for what goes on: 1 in the process that was forked, 0 in this one, which waits for
   nothing else, -1 where there is none. The other one has a session of its own and nothing open. */
static inline int fork_detached(void)
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
    for (int descriptor = 3, limit = (int)sysconf(_SC_OPEN_MAX); descriptor < limit && descriptor < 65536; descriptor++)
        close(descriptor);
    return 1;
}
