/* race RUNS COMMAND [WORD...] --- COMMAND [WORD...] ...: runs the commands in turns, RUNS times each, and prints the
   median wall time of each in nanoseconds, one a line. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { MOST_COMMANDS = 8, WARMUP = 20 };

extern char **environ;

static void fail(const char *what)
{
    fprintf(stderr, "race: error: %s\n", what);
    exit(70);
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long run(char **command, const posix_spawn_file_actions_t *actions)
{
    pid_t child;
    int status;
    long long start = now();
    if (posix_spawn(&child, command[0], actions, NULL, command, environ) != 0)
        fail(command[0]);
    if (wait4(child, &status, 0, NULL) != child || status != 0)
        fail(command[0]);
    return now() - start;
}

static int ascending(const void *left, const void *right)
{
    long long a = *(const long long *)left, b = *(const long long *)right;
    return (a > b) - (a < b);
}

static int split(char **words, char **commands[])
{
    int count = 0;
    commands[count++] = words;
    for (; *words; words++) {
        if (strcmp(*words, "---") != 0)
            continue;
        if (count == MOST_COMMANDS)
            fail("too many commands");
        *words = NULL;
        commands[count++] = words + 1;
    }
    return count;
}

int main(int count, char **words)
{
    char **commands[MOST_COMMANDS];
    long long *times[MOST_COMMANDS];
    int runs = count > 2 ? atoi(words[1]) : 0;
    if (runs < 1)
        fail("usage: race RUNS COMMAND [WORD...] --- COMMAND [WORD...] ...");
    int amount = split(words + 2, commands);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    for (int j = 0; j < amount; j++)
        if (!(times[j] = calloc((size_t)runs, sizeof *times[j])))
            fail("out of memory");

    for (int i = -WARMUP; i < runs; i++)
        for (int j = 0; j < amount; j++) {
            long long time = run(commands[j], &actions);
            if (i >= 0)
                times[j][i] = time;
        }
    for (int j = 0; j < amount; j++) {
        qsort(times[j], (size_t)runs, sizeof *times[j], ascending);
        printf("%lld\n", times[j][runs / 2]);
    }
    return 0;
}
