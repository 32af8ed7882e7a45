#pragma once

/* How many words the command line has behind the program's name. */
int start_count(void);

/* These words, as the kernel handed them over. */
char **start_words(void);

/* Has a second thread share the first one's heap: making another costs a tenth of a start. */
void use_one_heap(void);
