/* Secrets outside the kernel, and other processes. */
#define _GNU_SOURCE
#include "baseline.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <keyutils.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

long baseline_file(const char *path)
{
    char buffer[32768];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    long length = read(file, buffer, sizeof buffer);
    return close(file) == 0 ? length : -1;
}

/* The declarations of <libsecret/secret.h>. The library is loaded at run time, so that building this file does
   not need it. */
struct schema {
    const char *name;
    int flags;
    struct {
        const char *name;
        int type;
    } attributes[32];
    void *reserved[8];
};

long baseline_libsecret(const char *service, const char *account, char *buffer, size_t size)
{
    static const struct schema schema = {
        "org.freedesktop.Secret.Generic", 2 /* don't match the name */, {{"service", 0}, {"account", 0}}, {0}};
    static char *(*lookup)(const struct schema *, void *, void **, ...);
    static void (*release)(char *);
    if (!lookup) {
        void *library = dlopen("libsecret-1.so.0", RTLD_NOW);
        if (!library)
            return errno = ENOENT, -1;
        release = (void (*)(char *))dlsym(library, "secret_password_free");
        lookup = (char *(*)(const struct schema *, void *, void **, ...))dlsym(library, "secret_password_lookup_sync");
    }
    char *password = lookup(&schema, NULL, NULL, "service", service, "account", account, NULL);
    if (!password)
        return -1;
    size_t length = strlen(password);
    if (length <= size)
        memcpy(buffer, password, length);
    release(password);
    return length <= size ? (long)length : -1;
}

static int become_member(uid_t user, pid_t parent)
{
    if (user != geteuid() && (setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0))
        return -1;
    if (keyctl_join_session_keyring(NULL) < 0)
        return -1;
    /* This comes after the change of the user, which clears the setting. The parent's process ID shows whether the
       parent ended before the setting was made. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        return -1;
    return getppid() == parent ? 0 : -1;
}

pid_t start_member(uid_t user, int *channel)
{
    int ends[2];
    pid_t child, parent = getpid();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
    child = fork();
    if (child == 0 && become_member(user, parent) < 0)
        _exit(70);
    /* The parent keeps the first end, the child the second. */
    close(ends[child != 0]);
    *channel = ends[child == 0];
    return child;
}
