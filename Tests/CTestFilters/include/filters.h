#pragma once

/* Installs a seccomp filter for the whole process, for tests of what happens when the kernel says no or the process dies.
 * What it does: fails with `error`, or kills the process (SIGSYS) where error is 0.
 * Where: at keyctl with this operation; at every call of the key facility for -1; at add_key for -2; at prctl for -3.
 * Returns 0, or an errno. */
int test_filter_install(int operation, int error);

/* fork(2), which Swift does not offer. */
int test_fork(void);
