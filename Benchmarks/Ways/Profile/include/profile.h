#ifndef PROFILE_H
#define PROFILE_H

/* The compiler's profile of one piece of code. */

/* Drops everything that was counted before. */
void profile_begin(void);

/* Writes the counts to $LLVM_PROFILE_FILE and ends the process, so that nothing that runs later is counted. The exit code is 1
   if they could not be written, or if the program was built without a profile. */
_Noreturn void profile_end(void);

#endif
