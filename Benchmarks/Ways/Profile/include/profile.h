#ifndef PROFILE_H
#define PROFILE_H

/* Restricts the compiler's profile to one piece of code. */

/* Resets all counts. */
void profile_begin(void);

/* Writes the counts to $LLVM_PROFILE_FILE and ends the process, so that no later code is counted. The exit code is 1
   if the file could not be written, or if the program was built without a profile. */
_Noreturn void profile_end(void);

#endif
