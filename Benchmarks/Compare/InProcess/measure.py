"""measure.py SAMPLES BATCH keyring SERVICE ACCOUNT, or keyutils RING NAME: the median time of one get in a running Python.

Checks that it gives the secret, a row of x, and prints nanoseconds, of samples that are each the mean of a batch of gets.
"""

import statistics
import sys
import time

SECRET = "x" * 200


def keyring_getter(service, account):
    import keyring

    backend = type(keyring.get_keyring())
    if backend.__module__ != "keyring.backends.SecretService":
        sys.exit(f"error: keyring uses {backend.__module__} and not the Secret Service")
    return lambda: keyring.get_password(service, account)


def keyutils_getter(ring, name):
    import keyutils

    ring, name = int(ring), name.encode()
    return lambda: keyutils.read_key(keyutils.search(ring, name))


def sample(get, batch):
    start = time.perf_counter_ns()
    for _ in range(batch):
        get()
    return (time.perf_counter_ns() - start) / batch


def main():
    samples, batch, tool = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    get = {"keyring": keyring_getter, "keyutils": keyutils_getter}[tool](*sys.argv[4:])
    secret = get()
    if (secret.decode() if isinstance(secret, bytes) else secret) != SECRET:
        sys.exit("error: what was read is not the secret")
    for _ in range(samples // 10):
        sample(get, batch)
    print(round(statistics.median(sample(get, batch) for _ in range(samples))))


main()
