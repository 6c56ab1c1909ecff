/* said.c
 * Stands for typeperf, logman, dumpcap and their like: says how it was called, and writes the file that it was told to
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <string.h>
#include <windows.h>

int
main(int argc, char *argv[])
{
    FILE *log = fopen("C:\\said.txt", "a");

    if (log) {
        fprintf(log, "%s\n", GetCommandLineA());
        fclose(log);
    }
    puts("(PDH-CSV 4.0)");
    for (int i = 1; i + 1 < argc; i++) {
        if (strstr("-o -w --out --file-name", argv[i])) {
            FILE *file = fopen(argv[i + 1], "w");

            if (file)
                fclose(file);
        }
    }
    return 0;
}
