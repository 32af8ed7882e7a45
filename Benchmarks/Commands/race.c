/* race RUNS COMMAND [WORD...] --- COMMAND [WORD...] ...

   Runs the commands in turns, RUNS times each. If a command begins with < FILE, its standard input is FILE. If it
   contains +++, the words before that are a command that runs before it each time, and that is not measured. Prints a
   line for each command: the median wall time in nanoseconds, the highest peak memory of its runs in KiB, and the
   fewest page faults of a run. The kernel reports memory and page faults to the parent process.

   Each round has a new random order. Otherwise, a command would always run after the same other command, which leaves
   the caches warmer or colder.

   The peak that the kernel reports includes the memory before exec, which is this program's memory. Therefore this
   program is small: it is linked statically. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { MOST_COMMANDS = 16, WARMUP = 20 };

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

struct command {
    char **words;
    posix_spawn_file_actions_t files;
    long long *times;
    long peak, faults;
    struct command *before;
};

static long long run(struct command *command)
{
    if (command->before)
        run(command->before);
    char *program = command->words[0];
    struct rusage usage;
    pid_t child;
    int status;
    long long start = now();
    if (posix_spawn(&child, program, &command->files, NULL, command->words, environ) != 0)
        fail(program);
    if (wait4(child, &status, 0, &usage) != child || status != 0)
        fail(program);
    long long time = now() - start;
    if (usage.ru_maxrss > command->peak)
        command->peak = usage.ru_maxrss;
    if (usage.ru_minflt < command->faults)
        command->faults = usage.ru_minflt;
    return time;
}

static int ascending(const void *left, const void *right)
{
    long long a = *(const long long *)left, b = *(const long long *)right;
    return (a > b) - (a < b);
}

static struct command prepared(char **words)
{
    struct command command = {.words = words, .faults = LONG_MAX};
    for (char **word = words; *word; word++) {
        if (strcmp(*word, "+++") != 0)
            continue;
        *word = NULL;
        struct command *before = malloc(sizeof *before);
        if (!before)
            fail("no memory");
        *before = prepared(words);
        command = prepared(word + 1);
        command.before = before;
        return command;
    }
    posix_spawn_file_actions_init(&command.files);
    posix_spawn_file_actions_addopen(&command.files, 1, "/dev/null", O_WRONLY, 0);
    if (*words && strcmp(*words, "<") == 0 && words[1]) {
        posix_spawn_file_actions_addopen(&command.files, 0, words[1], O_RDONLY, 0);
        command.words += 2;
    }
    if (!*command.words)
        fail("a command is empty");
    return command;
}

static int split(char **words, struct command commands[])
{
    int count = 0;
    char **first = words;
    for (;; words++) {
        if (*words && strcmp(*words, "---") != 0)
            continue;
        if (count == MOST_COMMANDS)
            fail("too many commands");
        int is_last = !*words;
        *words = NULL;
        commands[count++] = prepared(first);
        if (is_last)
            return count;
        first = words + 1;
    }
}

static void shuffle(int order[], int amount)
{
    for (int i = amount - 1; i > 0; i--) {
        int other = (int)(random() % (i + 1)), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

int main(int count, char **words)
{
    int order[MOST_COMMANDS];
    struct command commands[MOST_COMMANDS];
    int runs = count > 2 ? atoi(words[1]) : 0;
    if (runs < 1)
        fail("usage: race RUNS COMMAND [WORD...] --- COMMAND [WORD...] ...");
    int amount = split(words + 2, commands);
    for (int j = 0; j < amount; j++) {
        order[j] = j;
        if (!(commands[j].times = calloc((size_t)runs, sizeof *commands[j].times)))
            fail("out of memory");
    }
    for (int i = -WARMUP; i < runs; i++) {
        shuffle(order, amount);
        for (int j = 0; j < amount; j++) {
            long long time = run(&commands[order[j]]);
            if (i >= 0)
                commands[order[j]].times[i] = time;
        }
    }
    for (int j = 0; j < amount; j++) {
        qsort(commands[j].times, (size_t)runs, sizeof *commands[j].times, ascending);
        printf("%lld %ld %ld\n", commands[j].times[runs / 2], commands[j].peak, commands[j].faults);
    }
    return 0;
}
