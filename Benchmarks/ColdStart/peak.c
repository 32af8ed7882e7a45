/* peak COMMAND [WORD...]: runs the command, its output thrown away, and prints the most memory that it had, in KiB, as the
   kernel tells its parent.

   The kernel counts what was there before the exec too, which is this program: so it is linked statically and small. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
    struct rusage usage;
    int status;
    if (count < 2)
        return 64;
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        execv(words[1], words + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
        return 70;
    printf("%ld\n", usage.ru_maxrss);
    return 0;
}
