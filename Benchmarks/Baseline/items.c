#include "baseline.h"

#include <errno.h>
#include <keyutils.h>
#include <unistd.h>

enum { LARGEST_READ = 32768, MEMBERS = 4096 };

static uint64_t boot_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static long milliseconds(void)
{
    return (long)(boot_time() / 1000000);
}

static int is_dead(void)
{
    return errno == ENOKEY || errno == EKEYEXPIRED || errno == EKEYREVOKED;
}

static int is_linked(int32_t anchor, const char *name, int32_t ring)
{
    key_serial_t members[MEMBERS];
    long found = keyctl_search(anchor, "keyring", name, 0);
    if (found < 0)
        return errno == ENOKEY ? 0 : -1;
    /* The search also covers nested keyrings, and so can find another scope's ring of the same name. Therefore, check
       that the anchor links the ring that was found. */
    long length = keyctl_read(anchor, (char *)members, sizeof members);
    if (length < 0)
        return -1;
    for (size_t i = 0; i < (size_t)length / sizeof *members && i < MEMBERS; i++)
        if (members[i] == found)
            return found == ring;
    return 0;
}

int baseline_is_current(const struct baseline *baseline)
{
    return is_linked(baseline->anchor, baseline->ring_name, baseline->ring);
}

/* Returns the item's key, or 0 if the item does not exist. */
static long find(const struct baseline *baseline, size_t item)
{
    long key = keyctl_search(baseline->ring, "user", baseline->names[item], 0);
    if (key >= 0 || !is_dead())
        return key;
    return baseline_is_current(baseline) == 1 ? 0 : -1;
}

long baseline_get(const struct baseline *baseline, size_t item)
{
    char buffer[LARGEST_READ];
    for (;;) {
        long key = find(baseline, item);
        if (key <= 0)
            return key;
        long size = keyctl_read((key_serial_t)key, buffer, sizeof buffer);
        /* Makes the optimizer assume that something uses the buffer. */
        __asm__ volatile("" : : "r"(buffer) : "memory");
        if (size >= 0)
            return size;
        /* A writer displaced the key between the two calls. The next search finds the new key. */
        if (!is_dead() && errno != EACCES)
            return -1;
    }
}

static int is_flagged(const struct baseline *baseline)
{
    if (keyctl_search(baseline->leases, "user", baseline->update_flag, 0) >= 0)
        return 1;
    return errno == ENOKEY ? 0 : -1;
}

int baseline_set(const struct baseline *baseline, size_t item)
{
    long look = milliseconds();
    if (is_flagged(baseline) != 0)
        return -1;
    key_serial_t key =
        add_key("user", baseline->names[item], baseline->payload, baseline->size, KEY_SPEC_THREAD_KEYRING);
    if (key < 0 || keyctl_setperm(key, KEY_POS_ALL) < 0 || keyctl_set_timeout(key, baseline->timeout) < 0)
        return -1;
    while (milliseconds() - look >= 10) {
        look = milliseconds();
        if (is_flagged(baseline) != 0)
            return -1;
    }
    if (keyctl_move(key, KEY_SPEC_THREAD_KEYRING, baseline->ring, 0) < 0)
        return -1;
    return milliseconds() - look >= 15 && is_flagged(baseline) != 0 ? -1 : 0;
}

static int has_updates(const struct baseline *baseline)
{
    return is_linked(baseline->anchor, baseline->leases_name, baseline->leases) == 1 ? is_flagged(baseline) : -1;
}

static int remove_item(const struct baseline *baseline, size_t item)
{
    for (;;) {
        long key = find(baseline, item);
        if (key <= 0)
            return (int)key;
        if (keyctl_unlink((key_serial_t)key, baseline->ring) == 0)
            return 1;
        if (errno == ENOENT)
            return 0;
        /* A writer displaced the key between the two calls. The next search finds the new key. */
        if (errno != ENOKEY && errno != EACCES)
            return -1;
    }
}

int baseline_delete(const struct baseline *baseline, size_t item)
{
    long look = milliseconds();
    if (has_updates(baseline) != 0)
        return -1;
    int removed = remove_item(baseline, item);
    return removed < 0 || (milliseconds() - look >= 15 && has_updates(baseline) != 0) ? -1 : removed;
}

int baseline_clear(const struct baseline *baseline)
{
    return (int)keyctl_clear(baseline->ring);
}

int baseline_lease(const struct baseline *baseline)
{
    uint64_t record[12] = {0, (uint64_t)getpid(), 0, 0, boot_time(), boot_time() + UINT64_C(60000000000)};
    key_serial_t lease = add_key("keyring", "default:lease:baseline", NULL, 0, KEY_SPEC_THREAD_KEYRING);
    if (lease < 0)
        return -1;
    key_serial_t by = add_key("user", "by", record, sizeof record, lease);
    if (by < 0 || keyctl_setperm(by, KEY_POS_ALL) < 0 || keyctl_setperm(lease, KEY_POS_ALL) < 0)
        return -1;
    if (keyctl_move(lease, KEY_SPEC_THREAD_KEYRING, baseline->leases, KEYCTL_MOVE_EXCL) < 0 || boot_time() >= record[5])
        return -1;
    if (keyctl_move(lease, baseline->leases, KEY_SPEC_THREAD_KEYRING, 0) < 0)
        return -1;
    return (int)keyctl_unlink(lease, KEY_SPEC_THREAD_KEYRING);
}

/* Sets a timeout so that the key expires at the deadline. The kernel counts a timeout from the current second, so set
   it again if a new second has begun during the call. */
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

int baseline_fill(const struct baseline *baseline, time_t deadline)
{
    for (size_t i = 0; i < baseline->count; i++) {
        key_serial_t key =
            add_key("user", baseline->names[i], baseline->payload, baseline->size, KEY_SPEC_THREAD_KEYRING);
        if (key < 0 || keyctl_setperm(key, KEY_POS_ALL) < 0 || (deadline != 0 && expire_at(key, deadline) < 0))
            return -1;
        if (keyctl_move(key, KEY_SPEC_THREAD_KEYRING, baseline->ring, 0) < 0)
            return -1;
    }
    return 0;
}
