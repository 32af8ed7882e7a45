#define _GNU_SOURCE
#include "scale.h"

#include <errno.h>
#include <fcntl.h>
#include <keyutils.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The members of a ring; the caller frees them. Returns how many there are. */
static long members(int32_t ring, key_serial_t **serials)
{
    long room = 1024, size;
    *serials = NULL;
    do {
        free(*serials);
        if (!(*serials = malloc((size_t)room)))
            return -1;
        size = keyctl_read(ring, (char *)*serials, (size_t)room);
        if (size < 0)
            return -1;
        if (size <= room)
            return size / (long)sizeof **serials;
        room = size + 256;
    } while (1);
}

static int is_gone(void)
{
    return errno == EKEYEXPIRED || errno == EKEYREVOKED || errno == ENOKEY;
}

int floor_miss(int32_t anchor, const char *ring_name, int32_t ring, const char *name)
{
    key_serial_t *serials;
    long count, found = 0;
    if (keyctl_search(ring, "user", name, 0) >= 0 || !is_gone())
        return -1;
    if (keyctl_search(anchor, "keyring", ring_name, 0) != ring)
        return -1;
    count = members(anchor, &serials);
    for (long i = 0; i < count; i++)
        found += serials[i] == ring;
    free(serials);
    return found == 1 ? 0 : -1;
}

static long list(int32_t ring, int with_sizes)
{
    char text[4096 + 64];
    key_serial_t *serials;
    long count = members(ring, &serials), living = 0;
    for (long i = 0; i < count; i++) {
        if (keyctl_describe(serials[i], text, sizeof text) < 0) {
            if (is_gone())
                continue;
            count = -1;
        } else if (with_sizes && keyctl_read(serials[i], NULL, 0) < 0) {
            count = -1;
        } else {
            living++;
        }
    }
    free(serials);
    return count < 0 ? -1 : living;
}

long floor_list(int32_t ring)
{
    return list(ring, 0);
}

/* Reads /proc/keys and takes serial and time left from each line. */
static long read_table(void)
{
    char *text = NULL, *line, *next;
    size_t room = 0, used = 0;
    ssize_t count = -1;
    long lines = 0;
    int descriptor = open("/proc/keys", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    do {
        if (used + 65536 >= room && !(text = realloc(text, room = 2 * room + 131072)))
            break;
        count = read(descriptor, text + used, room - used - 1);
        used += count > 0 ? (size_t)count : 0;
    } while (count > 0);
    close(descriptor);
    if (count < 0)
        return free(text), -1;
    text[used] = 0;
    for (line = text; (next = strchr(line, '\n')); line = next + 1) {
        unsigned serial;
        int usage;
        char flags[8], left[8];
        *next = 0;
        lines += sscanf(line, "%8x %7s %d %7s", &serial, flags, &usage, left) == 4;
    }
    free(text);
    return lines;
}

long floor_items(int32_t ring)
{
    long living = list(ring, 1);
    return living < 0 || read_table() < 0 ? -1 : living;
}

int floor_clear(int32_t ring)
{
    return (int)keyctl_clear(ring);
}

int floor_empty(int32_t ring)
{
    key_serial_t *serials;
    long count = members(ring, &serials), outcome = 0;
    for (long i = 0; i < count && outcome == 0; i++)
        outcome = keyctl_unlink(serials[i], ring);
    free(serials);
    return count < 0 ? -1 : (int)outcome;
}

/* The kernel counts a timeout from the second in which it is set. */
static long expire_at(key_serial_t key, time_t deadline)
{
    time_t now;
    do {
        now = time(NULL);
        if (keyctl_set_timeout(key, (unsigned)(deadline - now)) < 0)
            return -1;
    } while (time(NULL) != now);
    return 0;
}

int floor_fill(int32_t ring, const char *prefix, int count, time_t deadline)
{
    char name[256];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s%06d", prefix, i);
        key_serial_t key = add_key("user", name, "not a secret: 24 bytes..", 24, KEY_SPEC_THREAD_KEYRING);
        if (key < 0 || keyctl_setperm(key, KEY_POS_ALL) < 0 || expire_at(key, deadline) < 0)
            return -1;
        if (keyctl_move(key, KEY_SPEC_THREAD_KEYRING, ring, 0) < 0)
            return -1;
    }
    return 0;
}

static int become_member(uid_t user, pid_t parent)
{
    if (user != geteuid() && (setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0))
        return -1;
    if (keyctl_join_session_keyring(NULL) < 0)
        return -1;
    /* Becoming another user cleared it. The second line is for a parent that ended before. */
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
    /* Ours is the first end, the child's the second. */
    close(ends[child != 0]);
    *channel = ends[child == 0];
    return child;
}
