/* Replaces the static Swift runtime's work before main, which takes a tenth of a start. The runtime looks for a program
   that prints the stack of a crashed process, ends the process if /proc is not mounted, and reads /proc/self/maps to
   find the command line. The linker takes the symbols defined here instead of the runtime's. They are hidden, so that a
   runtime in a shared library, as in a debug build, uses its own.

   None of these symbols is public, so REPLACES_RUNTIME_START is set only for the versions of Swift that
   Package.swift lists. With other versions, a start takes up to 70 us more and needs /proc. .ci/runtime-start
   compares the symbols with the toolchain's. */

#include "RuntimeStart.h"

#include <stdbool.h>

static int count;
static char **words;

/* This runs before the runtime's constructors, which have no priority. */
__attribute__((constructor(102))) static void keep_words(int all, char **first)
{
    count = all;
    words = first;
}

#ifdef REPLACES_RUNTIME_START

#define INSTEAD_OF_RUNTIME __attribute__((visibility("hidden")))

/* All zero, so every setting is off. At least as large as the runtime's own variable. */
INSTEAD_OF_RUNTIME _Alignas(16) char _swift_backtraceSettings[256];

INSTEAD_OF_RUNTIME bool _swift_backtrace_isThunkFunction(const char *name)
{
    (void)name;
    return false;
}

INSTEAD_OF_RUNTIME char **_swift_stdlib_getUnsafeArgvArgc(int *all)
{
    *all = count;
    return words;
}

INSTEAD_OF_RUNTIME void _swift_stdlib_overrideUnsafeArgvArgc(char **first, int all) { keep_words(all, first); }

#endif

int start_count(void) { return count > 0 ? count - 1 : 0; }

const char *start_name(void) { return count > 0 ? words[0] : ""; }

char **start_words(void) { return count > 0 ? words + 1 : words; }
