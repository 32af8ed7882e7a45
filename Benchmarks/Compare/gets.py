"""gets.py SAMPLES BATCH keyring SERVICE ACCOUNT, or keyutils RING NAME: one get in a running Python.

Checks that it gives the secret, a row of x, and prints the median nanoseconds of samples, each the mean of a batch.
"""

import importlib
import statistics
import sys
import timeit

samples, batch, tool, *item = sys.argv[1:]
module = importlib.import_module(tool)
if tool == "keyring":
    backend = type(module.get_keyring()).__module__
    if backend != "keyring.backends.SecretService":
        sys.exit(f"error: keyring uses {backend} and not the Secret Service")
    get = lambda: module.get_password(*item).encode()
else:
    get = lambda ring=int(item[0]), name=item[1].encode(): module.read_key(module.search(ring, name))
if get() != b"x" * 200:
    sys.exit("error: what was read is not the secret")
timeit.timeit(get, number=int(samples) // 10 * int(batch))
times = timeit.repeat(get, repeat=int(samples), number=int(batch))
print(round(statistics.median(times) / int(batch) * 1e9))
