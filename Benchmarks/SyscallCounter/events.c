#define _GNU_SOURCE
#include "syscallcounter.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int open_call_counter(void)
{
    struct perf_event_attr event;
    unsigned id = 0;
    FILE *file = fopen("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "re");
    if (!file)
        return -1;
    int found = fscanf(file, "%u", &id);
    fclose(file);
    if (found != 1)
        return -1;
    memset(&event, 0, sizeof event);
    event.size = sizeof event;
    event.type = PERF_TYPE_TRACEPOINT;
    event.config = id;
    event.inherit = 1;
    return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

long counted_calls(int counter)
{
    long count = 0;
    return read(counter, &count, sizeof count) == sizeof count ? count : -1;
}
