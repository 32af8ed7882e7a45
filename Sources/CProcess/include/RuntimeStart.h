#pragma once

/* How many words the command line has behind the program's name. */
int start_count(void);

/* These words, as the kernel handed them over: Swift's own come from /proc/self/cmdline, which need not be there. */
char **start_words(void);

/* Has a second thread share the first one's heap: making another costs a tenth of a start. */
void use_one_heap(void);

/* Takes back what the Swift runtime needed to start, so that no child inherits it. */
void finish_start(void);
