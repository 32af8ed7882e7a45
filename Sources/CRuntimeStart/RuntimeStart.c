/* Replaces what the static Swift runtime does before main, which takes a tenth of a start: it looks for a program that prints
   the stack of a crashed process, ends the process if /proc is not mounted, and reads /proc/self/maps for the words of the
   command line. What is defined here is not linked from the runtime. It is hidden, so that a runtime in a shared library, as
   in a debug build, uses its own.

   None of this is public, so only the versions of Swift that Package.swift lists get it (REPLACES_RUNTIME_START). With others,
   a start takes up to 70 us more and needs /proc. .ci/runtime-start compares the symbols with the toolchain's. */

#include "RuntimeStart.h"

#include <malloc.h>
#include <stdbool.h>

static int count;
static char **words;

/* Before the runtime's constructors, which have no priority. */
__attribute__((constructor(102))) static void keep_words(int all, char **first)
{
    count = all;
    words = first;
}

#ifdef REPLACES_RUNTIME_START

#define INSTEAD_OF_RUNTIME __attribute__((visibility("hidden")))

/* All off; as large as the runtime's own, and more. */
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

void use_one_heap(void) { mallopt(M_ARENA_MAX, 1); }
