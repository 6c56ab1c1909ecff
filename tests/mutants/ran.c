/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linked with a library whose blocks call __sanitizer_cov_trace_pc() (-fsanitize-coverage=trace-pc): marks those that run in the
 * file $PERFLIB_RAN.LIBRARY, which ran.py reads, a byte for each address of the library, where the call returns to. All processes
 * mark in the same file. It is mapped, so that marks stay when a signal ends the process.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than the code of the plugin. */
enum { SIZE = 16 << 20 };

/* A tshark that has registered its protocols forks for each run: what it did before counts for all of them. */
enum { BEFORE_FORK = 1, AFTER_FORK = 2 };

static unsigned char *ran;
static unsigned char mark = BEFORE_FORK;
static uintptr_t base;

void __sanitizer_cov_trace_pc(void);

static void
note_fork(void)
{
    mark = AFTER_FORK;
}

__attribute__((constructor)) static void
begin(void)
{
    const char *const to = getenv("PERFLIB_RAN");
    char path[PATH_MAX];
    Dl_info library;
    int file;

    if (to == NULL || dladdr(&ran, &library) == 0) {
        return;
    }
    base = (uintptr_t)library.dli_fbase;
    snprintf(path, sizeof path, "%s.%s", to, strrchr(library.dli_fname, '/') + 1);
    file = open(path, O_RDWR | O_CREAT, 0666);
    if (file >= 0 && ftruncate(file, SIZE) == 0) {
        ran = (unsigned char *)mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (ran == NULL || ran == MAP_FAILED || pthread_atfork(NULL, NULL, note_fork) != 0) {
        perror(path);
        abort();
    }
    close(file);
}

void
__sanitizer_cov_trace_pc(void)
{
    const uintptr_t place = (uintptr_t)__builtin_return_address(0) - base;

    if (ran != NULL && place < SIZE) {
        ran[place] |= mark;
    }
}
