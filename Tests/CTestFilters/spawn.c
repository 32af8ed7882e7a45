#define _GNU_SOURCE
#include "filters.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

int test_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

struct start {
    pid_t *child;
    const char *program;
    char *const *words, *const *environment;
    const int *files;
    int error;
};

static void spawn(struct start *start) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    for (int file = 0; file < 3; file++) posix_spawn_file_actions_adddup2(&actions, start->files[file], file);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    start->error = posix_spawnp(start->child, start->program, &actions, &attributes, start->words, start->environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
}

/* If a thread without a session keyring looks for one, the kernel gives it the user's default session, and every
 * process that the thread starts inherits it. So one thread starts all children. It never looks for a keyring, and it
 * exists before the first test runs. */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct start *wanted;

static void *start_children(void *unused) {
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (wanted == NULL) pthread_cond_wait(&changed, &mutex);
        spawn(wanted);
        wanted = NULL;
        pthread_cond_broadcast(&changed);
    }
    return unused;
}

__attribute__((constructor)) static void begin(void) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, start_children, NULL) != 0) abort();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_detach(thread);
}

int test_spawn(pid_t *child, const char *program, char *const words[], char *const environment[], const int files[3],
               bool in_session) {
    struct start start = {.child = child, .program = program, .words = words, .environment = environment, .files = files};
    if (in_session) {
        spawn(&start);
        return start.error;
    }
    pthread_mutex_lock(&mutex);
    while (wanted != NULL) pthread_cond_wait(&changed, &mutex);
    wanted = &start;
    pthread_cond_broadcast(&changed);
    while (wanted == &start) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return start.error;
}
