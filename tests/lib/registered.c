/* registered.c
 * In front of tshark: registers all protocols once, then runs any number of command lines
 *
 * Of a short run of tshark most is the registration of three thousand protocols. With this library loaded before all
 * others, tshark comes as far as the end of epan_init(), and there takes command lines from its standard input: strings
 * ended by NUL, which are the number of those that follow, the names of two files for standard output and error, and
 * the arguments. Of each it makes a process of its own, which runs tshark's main() from the beginning but for the
 * registration, and writes a line to standard output: what the process ended with, the seconds of processor time it
 * took, and the most kilobytes that it had in memory, as wait4() has them. The settings and the plugins' tables are read
 * by each of them: no run sees what another one did.
 *
 * Nor does a run take all of that apart at its end, which took more than half of its time: the process ends anyway. Each
 * tshark that is started without this library does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*main_function)(int, char **, char **);
typedef void (*hook_function)(void);

int __libc_start_main(main_function, int, char **, hook_function, hook_function, hook_function, void *);
void wtap_init(bool);
bool epan_init(hook_function, void *, bool);
void epan_cleanup(void);
void wtap_cleanup(void);

/* tshark's own. */
static main_function tshark_main;
/* In a process that runs a command line. */
static bool registered;

/* The function of that name that this library stands before. */
static void *
original(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);

    if (!function) {
        fprintf(stderr, "%s is not there\n", name);
        _exit(127);
    }
    return function;
}

/* Where every program begins. */
int
__libc_start_main(main_function main, int argc, char **argv, hook_function init, hook_function fini,
    hook_function loader_fini, void *stack_end)
{
    int (*start)(main_function, int, char **, hook_function, hook_function, hook_function, void *);

    *(void **)&start = original("__libc_start_main");
    tshark_main = main;
    return start(main, argc, argv, init, fini, loader_fini, stack_end);
}

/* The next string of a request, to be freed, or NULL behind the last one. */
static char *
read_string(void)
{
    char *string = NULL;
    size_t size = 0;

    if (getdelim(&string, &size, 0, stdin) < 0) {
        free(string);
        return NULL;
    }
    return string;
}

/* The strings of the next request, behind them NULL, and how many; NULL if there is none. They are never freed: a few
   kilobytes in some hundred runs. */
static char **
read_request(int *count)
{
    const char *number = read_string();
    char **strings;

    *count = number ? atoi(number) : 0;
    if (*count < 3)
        return NULL;
    strings = calloc((size_t)*count + 1, sizeof *strings);
    for (int i = 0; strings && i < *count; i++) {
        strings[i] = read_string();
        if (!strings[i])
            return NULL;
    }
    return strings;
}

/* The descriptor becomes that file. */
static void
redirect(int descriptor, const char *name, int flags)
{
    int file = open(name, flags);

    if (file < 0 || dup2(file, descriptor) < 0)
        _exit(127);
    close(file);
}

/* Runs command lines until there are no more. */
static void
serve(void)
{
    char **strings;
    int count;

    while ((strings = read_request(&count)) != NULL) {
        struct rusage usage;
        struct timeval time;
        int status;
        pid_t process = fork();

        if (process == 0) {
            redirect(0, "/dev/null", O_RDONLY);
            redirect(1, strings[0], O_WRONLY | O_TRUNC);
            redirect(2, strings[1], O_WRONLY | O_TRUNC);
            registered = true;
            exit(tshark_main(count - 2, strings + 2, environ));
        }
        if (process < 0 || wait4(process, &status, 0, &usage) != process)
            _exit(127);
        timeradd(&usage.ru_utime, &usage.ru_stime, &time);
        printf("%d %ld.%06ld %ld\n", status, (long)time.tv_sec, (long)time.tv_usec, usage.ru_maxrss);
        fflush(stdout);
    }
    _exit(0);
}

/* Wireshark's two, each done once. */

void
wtap_init(bool load_plugins)
{
    void (*init)(bool);

    if (registered)
        return;
    *(void **)&init = original("wtap_init");
    init(load_plugins);
}

bool
epan_init(hook_function callback, void *data, bool load_plugins)
{
    bool (*init)(hook_function, void *, bool);

    if (!registered) {
        *(void **)&init = original("epan_init");
        if (!init(callback, data, load_plugins))
            return false;
        serve();
    }
    return true;
}

/* And the two that undo them: nothing that a run writes, or removes, is left to them. */

static void
clean_up(const char *name)
{
    hook_function cleanup;

    if (registered)
        return;
    *(void **)&cleanup = original(name);
    cleanup();
}

void
epan_cleanup(void)
{
    clean_up("epan_cleanup");
}

void
wtap_cleanup(void)
{
    clean_up("wtap_cleanup");
}
