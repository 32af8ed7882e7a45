#include "floor.h"

#include <keyutils.h>
#include <time.h>
#include <unistd.h>

static uint64_t boot_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int floor_lease(int32_t leases, const char *name)
{
    uint64_t record[12] = {0, (uint64_t)getpid(), 0, 0, boot_time(), boot_time() + UINT64_C(60000000000)};
    key_serial_t lease = add_key("keyring", name, NULL, 0, KEY_SPEC_THREAD_KEYRING);
    if (lease < 0)
        return -1;
    key_serial_t by = add_key("user", "by", record, sizeof record, lease);
    if (by < 0 || keyctl_setperm(by, KEY_POS_ALL) < 0 || keyctl_setperm(lease, KEY_POS_ALL) < 0)
        return -1;
    if (keyctl_move(lease, KEY_SPEC_THREAD_KEYRING, leases, KEYCTL_MOVE_EXCL) < 0 || boot_time() >= record[5])
        return -1;
    if (keyctl_move(lease, leases, KEY_SPEC_THREAD_KEYRING, 0) < 0)
        return -1;
    return keyctl_unlink(lease, KEY_SPEC_THREAD_KEYRING) < 0 ? -1 : 0;
}
