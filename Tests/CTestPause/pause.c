#define _GNU_SOURCE
#include "pause.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Room for one descriptor in a message, with the alignment that the kernel requires. */
union descriptor_message {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
};

static struct msghdr message_with(union descriptor_message *room, struct iovec *body) {
    return (struct msghdr){
        .msg_iov = body, .msg_iovlen = 1, .msg_control = room->bytes, .msg_controllen = sizeof room->bytes,
    };
}

static bool send_descriptor(int socket, int descriptor) {
    char byte = 0;
    union descriptor_message room = {{0}};
    struct iovec body = {&byte, 1};
    struct msghdr message = message_with(&room, &body);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(socket, &message, 0) == 1;
}

static int receive_descriptor(int socket) {
    char byte;
    union descriptor_message room;
    struct iovec body = {&byte, 1};
    struct msghdr message = message_with(&room, &body);
    ssize_t count;
    int descriptor;
    while ((count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    if (count != 1 || CMSG_FIRSTHDR(&message) == NULL) return -1;
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

/* Returns the descriptor on which the kernel asks before each keyring call of this process; negative on failure. */
static int install_filter(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_add_key, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_request_key, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_keyctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

pid_t test_pause_fork(void) {
    pid_t parent = getpid(), child = fork();
    if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)) _exit(125);
    return child;
}

pid_t test_process_fork(struct test_process *process, int stop_before) {
    int sockets[2];
    *process = (struct test_process){.listener = -1, .stop_before = stop_before};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return -1;
    process->id = test_pause_fork();
    if (process->id == 0) {
        close(sockets[0]);
        /* Until test_process_begin, this is the socket to which the child sends its listener. */
        process->listener = sockets[1];
        return 0;
    }
    close(sockets[1]);
    if (process->id > 0) process->listener = receive_descriptor(sockets[0]);
    close(sockets[0]);
    if (process->listener >= 0) return process->id;
    if (process->id > 0) waitpid(process->id, &process->status, 0);
    process->id = 0;
    return -1;
}

void test_process_begin(struct test_process *process) {
    int listener = install_filter();
    if (listener < 0 || !send_descriptor(process->listener, listener)) _exit(125);
    close(listener);
    close(process->listener);
}

static long long milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static bool is_settled(const struct test_process *process) {
    return process->id == 0 || process->listener < 0 || process->stopped != 0;
}

static void allow(struct test_process *process, uint64_t call) {
    /* The answer fails if the child has just been killed. That isn't an error. */
    struct seccomp_notif_resp answer = {.id = call, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    ioctl(process->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void take_call(struct test_process *process) {
    struct seccomp_notif call = {0};
    if (ioctl(process->listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;
    if (++process->calls != process->stop_before) return allow(process, call.id);
    process->stopped = call.id;
    process->operation = call.data.nr == SYS_keyctl ? (int)call.data.args[0] : -1;
}

static void take_end(struct test_process *process) {
    while (waitpid(process->id, &process->status, 0) < 0 && errno == EINTR)
        ;
    close(process->listener);
    process->listener = -1;
    process->stopped = 0;
}

bool test_processes_run(struct test_process *processes, int count, int milliseconds) {
    long long end = milliseconds_now() + milliseconds;
    for (;;) {
        struct pollfd polled[count];
        bool are_settled = true;
        for (int index = 0; index < count; index++) {
            bool settled = is_settled(&processes[index]);
            polled[index] = (struct pollfd){.fd = settled ? -1 : processes[index].listener, .events = POLLIN};
            are_settled = are_settled && settled;
        }
        if (are_settled) return true;
        long long left = end - milliseconds_now();
        if (left <= 0) return false;
        if (poll(polled, (nfds_t)count, (int)left) < 0) continue;
        for (int index = 0; index < count; index++) {
            if (polled[index].revents & POLLIN) take_call(&processes[index]);
            else if (polled[index].revents & (POLLHUP | POLLERR)) take_end(&processes[index]);
        }
    }
}

void test_process_resume(struct test_process *process, int stop_before) {
    process->stop_before = stop_before;
    if (process->stopped == 0) return;
    allow(process, process->stopped);
    process->stopped = 0;
}

void test_process_kill(struct test_process *process) {
    if (process->id == 0 || process->listener < 0) return;
    kill(process->id, SIGKILL);
    take_end(process);
}
