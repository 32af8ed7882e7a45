#define _GNU_SOURCE
#include "filters.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))

int test_filter_install(int operation, int error) {
    unsigned action = error ? SECCOMP_RET_ERRNO | (unsigned)error : SECCOMP_RET_KILL_PROCESS;
    struct sock_filter everything[] = {
        LOAD(nr), IF_EQUAL(__NR_keyctl, 2, 0), IF_EQUAL(__NR_add_key, 1, 0), IF_EQUAL(__NR_request_key, 0, 1),
        RETURN(action), RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_filter adding[] = {
        LOAD(nr), IF_EQUAL(__NR_add_key, 0, 1), RETURN(action), RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_filter one[] = {
        LOAD(nr), IF_EQUAL(__NR_keyctl, 0, 3), LOAD(args[0]), IF_EQUAL((unsigned)operation, 0, 1),
        RETURN(action), RETURN(SECCOMP_RET_ALLOW),
    };
    unsigned call = operation == -4 ? __NR_mlock2 : operation == -5 ? __NR_signalfd4 : __NR_prctl;
    struct sock_filter other[] = {
        LOAD(nr), IF_EQUAL(call, 0, 1), RETURN(action), RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof one / sizeof *one, .filter = one};
    if (operation == -1) program = (struct sock_fprog){.len = sizeof everything / sizeof *everything, .filter = everything};
    if (operation == -2) program = (struct sock_fprog){.len = sizeof adding / sizeof *adding, .filter = adding};
    if (operation <= -3)
        program = (struct sock_fprog){.len = sizeof other / sizeof *other, .filter = other};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) return errno;
    return 0;
}

int test_fork(void) { return fork(); }
