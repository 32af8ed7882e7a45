"""Measures a get in a running Python: gets.py SAMPLES BATCH (keyring SERVICE ACCOUNT | keyutils RING NAME)

Checks that the secret is 200 times x. Prints the median of all samples in nanoseconds. A sample is the mean of a batch.
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
        sys.exit(f"error: keyring uses {backend} instead of the Secret Service")
    get = lambda: module.get_password(*item).encode()
else:
    get = lambda ring=int(item[0]), name=item[1].encode(): module.read_key(module.search(ring, name))
if get() != b"x" * 200:
    sys.exit("error: the value that was read is not the secret")
timeit.timeit(get, number=int(samples) // 10 * int(batch))
times = timeit.repeat(get, repeat=int(samples), number=int(batch))
print(round(statistics.median(times) / int(batch) * 1e9))
