// SPDX-License-Identifier: Apache-2.0

// A library that allows the gateway to run under a version of valgrind without pidfd_open(2) (3.19 returns ENOSYS). The library
// returns a descriptor that never reports the end of a process. The gateway therefore kills a stopped instance after the
// time-outs. Only the counting of instructions preloads this library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

long syscall(long number, ...) {
    va_list list;
    long argument[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++) argument[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_pidfd_open) return eventfd(0, EFD_CLOEXEC);
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}
