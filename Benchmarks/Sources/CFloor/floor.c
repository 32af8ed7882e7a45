#include "floor.h"

#include <errno.h>
#include <keyutils.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST_READ = 32768 };

long floor_get(int32_t ring, const char *name)
{
    char buffer[LARGEST_READ];
    long key = keyctl_search(ring, "user", name, 0);
    if (key < 0)
        return -1;
    long size = keyctl_read((key_serial_t)key, buffer, sizeof buffer);
    /* Else the optimizer may find that nobody looks at the buffer. */
    __asm__ volatile("" : : "r"(buffer) : "memory");
    return size;
}

static int is_marked(struct floor_mark mark)
{
    if (keyctl_search(mark.leases, "user", mark.name, 0) >= 0)
        return 1;
    return errno == ENOKEY ? 0 : -1;
}

int floor_set(int32_t ring, struct floor_mark mark, const char *name, const void *payload, size_t size, unsigned timeout)
{
    if (is_marked(mark) != 0)
        return -1;

    key_serial_t key = add_key("user", name, payload, size, KEY_SPEC_THREAD_KEYRING);
    if (key < 0)
        return -1;
    if (keyctl_setperm(key, KEY_POS_ALL) < 0 || keyctl_set_timeout(key, timeout) < 0)
        return -1;
    return keyctl_move(key, KEY_SPEC_THREAD_KEYRING, ring, 0) < 0 ? -1 : 0;
}

static uint64_t boot_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int floor_lease(int32_t leases, const char *name)
{
    uint64_t record[3] = {boot_time() + 60000000000u, (uint64_t)getpid(), 0};
    key_serial_t key = add_key("user", name, record, sizeof record, KEY_SPEC_THREAD_KEYRING);
    if (key < 0 || keyctl_setperm(key, KEY_POS_ALL) < 0)
        return -1;
    if (keyctl_move(key, KEY_SPEC_THREAD_KEYRING, leases, KEYCTL_MOVE_EXCL) < 0)
        return -1;
    if (boot_time() >= record[0])
        return -1;
    if (keyctl_move(key, leases, KEY_SPEC_THREAD_KEYRING, 0) < 0)
        return -1;
    return keyctl_unlink(key, KEY_SPEC_THREAD_KEYRING) < 0 ? -1 : 0;
}
