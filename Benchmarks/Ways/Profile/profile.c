#include "profile.h"

#include <unistd.h>

/* Weak, so that the package also links without -profile-generate. */
extern void __llvm_profile_reset_counters(void) __attribute__((weak));
extern int __llvm_profile_write_file(void) __attribute__((weak));

void profile_begin(void)
{
    if (__llvm_profile_reset_counters)
        __llvm_profile_reset_counters();
}

_Noreturn void profile_end(void)
{
    _exit(__llvm_profile_write_file && __llvm_profile_write_file() == 0 ? 0 : 1);
}
