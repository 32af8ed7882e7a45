/* EarlyGet.h documents what this code guarantees. A debug build leaves it out, and a test compares a release
   build with a debug build. */
#ifndef DEBUG

#define _GNU_SOURCE
#include <errno.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BYTES = 32768, INTERNAL_ERROR = 70, UP_TO_MAIN = -1 };

/* Returns whether a text is not empty, needs no encoding in a key's description, and does not start with a
   character of not_first. */
static bool is_plain(const char *text, const char *not_first)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~";
    return *text && !strchr(not_first, *text) && text[strspn(text, plain)] == '\0';
}

/* Returns a variable's value, or the default if the variable is unset or empty. */
static const char *value_of(const char *name, const char *usual)
{
    const char *value = getenv(name);
    return value && *value ? value : usual;
}

/* Joins the texts; returns false if they don't fit. */
static bool join(char *joined, size_t room, const char *const texts[4])
{
    for (int i = 0; i < 4; i++) {
        size_t length = strlen(texts[i]);
        if (length >= room)
            return false;
        memcpy(joined, texts[i], length + 1);
        joined += length;
        room -= length;
    }
    return true;
}

static long search(long ring, const char *type, const char *name)
{
    return ring < 0 ? -1 : syscall(SYS_keyctl, KEYCTL_SEARCH, ring, type, name, 0);
}

/* Returns whether the keyring itself links the key. A search also finds keys in nested keyrings. */
static bool links(long ring, int key)
{
    int members[4096];
    long size = syscall(SYS_keyctl, KEYCTL_READ, ring, members, sizeof members);
    for (long i = 0; size <= (long)sizeof members && i < size / (long)sizeof *members; i++)
        if (members[i] == key)
            return true;
    return false;
}

/* Reads the item into a buffer of MOST_BYTES; returns its size, or a negative number to leave the call to main. */
static long read_item(const char *ring_name, const char *item_name, char *secret)
{
    long session = syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
    long ring = search(session, "keyring", ring_name);
    long key = ring < 0 || !links(session, (int)ring) ? -1 : search(ring, "user", item_name);
    long size = key < 0 ? -1 : syscall(SYS_keyctl, KEYCTL_READ, key, secret, MOST_BYTES);
    if (size > MOST_BYTES)
        return -1;
    for (long i = 0; i < size; i++)
        if (secret[i])
            return size;
    /* The kernel refuses an empty payload, so n NUL bytes are stored as n + 1. */
    return size - 1;
}

/* Returns whether this process certainly has a session keyring; request_key(2) doesn't give it one. A login's session
   keyring has the name _ses. A process without one searches the user's _uid_ses.N instead: there it can find another
   keyring named _ses, but it then also finds _uid_ses.N itself. */
static bool has_session(void)
{
    const char prefix[] = "_uid_ses.";
    char text[sizeof prefix + 10], *name = text + sizeof text - 1;
    uid_t left = getuid();
    *name = '\0';
    do /* The code of snprintf would take 128 KiB more memory. */
        *--name = (char)('0' + left % 10);
    while (left /= 10);
    name -= sizeof prefix - 1;
    memcpy(name, prefix, sizeof prefix - 1);
    return syscall(SYS_request_key, "keyring", "_ses", NULL, 0) >= 0
        && syscall(SYS_request_key, "keyring", name, NULL, 0) < 0 && errno == ENOKEY;
}

/* Reads the item without changing this process's session. If it has no session keyring, a lookup would install one,
   and a program that main then starts could take it along. So the lookup happens in a child, which shares our memory. */
static long read_item_apart(const char *ring_name, const char *item_name, char *secret)
{
    volatile long size = -1;
    pid_t child;
    if (has_session())
        return read_item(ring_name, item_name, secret);
    child = vfork();
    if (child == 0) {
        size = read_item(ring_name, item_name, secret);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    return size;
}

static void pass_over(int number) { (void)number; }

/* Makes a write beyond RLIMIT_FSIZE fail instead of ending the process, as main does. An ignored
   signal stays ignored. */
static void survive_file_size_limit(void)
{
    struct sigaction action = {.sa_handler = pass_over}, before;
    if (sigaction(SIGXFSZ, &action, &before) == 0 && before.sa_handler == SIG_IGN)
        sigaction(SIGXFSZ, &before, NULL);
}

/* Writes the secret. Returns the exit code, or UP_TO_MAIN if it failed before it wrote anything. */
static int write_answer(const char *secret, size_t size)
{
    for (size_t written = 0; written < size;) {
        ssize_t more = write(STDOUT_FILENO, secret + written, size - written);
        if (more < 0 && errno == EAGAIN) {
            struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
            poll(&output, 1, -1);
            continue;
        }
        if (more < 0 && errno != EINTR) {
            if (written == 0)
                return UP_TO_MAIN;
            /* Report the error as main would: part of the secret is already written, so main can't start again. */
            char *reason = strerror(errno), start[] = "skr: error: can't write to standard output: ";
            struct iovec text[] = {{start, sizeof start - 1}, {reason, strlen(reason)}, {"\n", 1}};
            writev(STDERR_FILENO, text, 3);
            return INTERNAL_ERROR;
        }
        written += more > 0 ? (size_t)more : 0;
    }
    return 0;
}

/* Reads the item and writes it. Returns the exit code, or UP_TO_MAIN if it has written nothing. */
static int answer(const char *ring_name, const char *item_name, char *secret)
{
    long size = read_item_apart(ring_name, item_name, secret);
    if (size < 0)
        return UP_TO_MAIN;
    if (isatty(STDOUT_FILENO))
        secret[size++] = '\n'; /* Otherwise, the prompt would follow on the same line. */
    else
        survive_file_size_limit();
    int code = write_answer(secret, (size_t)size);
    explicit_bzero(secret, (size_t)size);
    return code;
}

__attribute__((constructor(101))) /* The runtime's constructors have no priority, so they run later. */
static void early_get(int count, char **words)
{
    static char secret[MOST_BYTES + 1];
    char ring_name[256], item_name[4096];
    const char *namespace = value_of("SKR_NAMESPACE", "default"), *account = count == 4 ? words[3] : "";
    if (count < 3 || count > 4 || strcmp(words[1], "get") || strcmp(value_of("SKR_SCOPE", "session"), "session")
        || !is_plain(namespace, ".") || !is_plain(words[2], ".-") || (count == 4 && !is_plain(account, ".-"))
        || !join(ring_name, sizeof ring_name, (const char *[]){"skr:", namespace, "", ""})
        || !join(item_name, sizeof item_name, (const char *[]){"password:", words[2], ":", account}))
        return;
    /* A slow reader can make this process wait with the secret: no core dump or swap gets it then. Like main, it
       answers even if the memory can't be locked. */
    int was_dumpable = prctl(PR_GET_DUMPABLE);
    prctl(PR_SET_DUMPABLE, 0);
    mlock2(secret, sizeof secret, MLOCK_ONFAULT);
    int code = answer(ring_name, item_name, secret);
    if (code != UP_TO_MAIN)
        _exit(code);
    munlock(secret, sizeof secret);
    prctl(PR_SET_DUMPABLE, was_dumpable);
}

#endif
