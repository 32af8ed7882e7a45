#include "lease.h"
#include "floor.h"

#include <errno.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_PAUSE = 20000, LONGEST_PAUSE = 5000000 };

static uint64_t boot_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Invalidates the lease of that name if its time has passed. */
static int look_at_holder(int32_t leases, const char *name)
{
    uint64_t record[3];
    long key = keyctl_search(leases, "user", name, 0);
    if (key < 0)
        return 0;
    long size = keyctl_read((key_serial_t)key, (char *)record, sizeof record);
    if (size == sizeof record && boot_time() > record[0])
        return keyctl_invalidate((key_serial_t)key) < 0 ? -1 : 0;
    return 0;
}

key_serial_t take_lease(int32_t leases, const char *name, unsigned seconds)
{
    struct timespec pause = {0, FIRST_PAUSE};
    uint64_t record[3] = {boot_time() + seconds * UINT64_C(1000000000), (uint64_t)getpid(), 0};
    key_serial_t key = add_key("user", name, record, sizeof record, KEY_SPEC_THREAD_KEYRING);
    if (key < 0 || keyctl_setperm(key, KEY_POS_ALL) < 0)
        return -1;
    while (keyctl_move(key, KEY_SPEC_THREAD_KEYRING, leases, KEYCTL_MOVE_EXCL) < 0) {
        if (errno != EEXIST || look_at_holder(leases, name) < 0)
            return -1;
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec * 2 > LONGEST_PAUSE ? LONGEST_PAUSE : pause.tv_nsec * 2;
        record[0] = boot_time() + seconds * UINT64_C(1000000000);
        if (keyctl_update(key, record, sizeof record) < 0)
            return -1;
    }
    if (boot_time() >= record[0]) {
        errno = ETIME;
        return -1;
    }
    return key;
}

int release_lease(key_serial_t lease, int32_t leases)
{
    /* Moving never hits a successor of the same name, as unlinking does. */
    if (keyctl_move(lease, leases, KEY_SPEC_THREAD_KEYRING, 0) < 0)
        return -1;
    return keyctl_unlink(lease, KEY_SPEC_THREAD_KEYRING) < 0 ? -1 : 0;
}

int floor_lease(int32_t leases, const char *name)
{
    key_serial_t lease = take_lease(leases, name, 60);
    return lease < 0 ? -1 : release_lease(lease, leases);
}
