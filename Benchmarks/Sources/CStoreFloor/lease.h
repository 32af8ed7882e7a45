#ifndef CFLOOR_LEASE_H
#define CFLOOR_LEASE_H

#include <keyutils.h>

/* Takes the lease, waiting for whoever holds it; its key, or -1. */
key_serial_t take_lease(int32_t leases, const char *name, unsigned seconds);

/* Gives the lease back. */
int release_lease(key_serial_t lease, int32_t leases);

#endif
