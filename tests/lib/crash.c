/* crash.c
 * Loaded with LD_PRELOAD: a program that crashes says in which functions, so that a test can tell whose fault it is. What the
 * program starts has neither this nor another preloaded library: dumpcap with AddressSanitizer may never end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

/* For sigaction, and RTLD_DEFAULT. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Above the function that crashed: say_where() and what the kernel calls it from. */
#define OWN_FRAMES 2
#define MAX_FRAMES 64

static void
say_where(int signal_number)
{
    static const char crashed[] = "Crashed in:\n";
    void *frames[MAX_FRAMES];
    const int count = backtrace(frames, MAX_FRAMES);

    if (write(STDERR_FILENO, crashed, sizeof crashed - 1) > 0 && count > OWN_FRAMES) {
        backtrace_symbols_fd(frames + OWN_FRAMES, count - OWN_FRAMES, STDERR_FILENO);
    }
    raise(signal_number);
}

__attribute__((constructor)) static void
begin(void)
{
    struct sigaction action;
    void *frame;

    unsetenv("LD_PRELOAD");
    /* A sanitizer says itself where it crashed. */
    if (dlsym(RTLD_DEFAULT, "__asan_init") != NULL) {
        return;
    }
    /* The first call allocates memory, which a program that crashes may not be able to. */
    backtrace(&frame, 1);
    memset(&action, 0, sizeof action);
    action.sa_handler = say_where;
    /* The second time, it dies of the signal. */
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGSEGV, &action, NULL);
}
