// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CSpawn.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>

#include <sys/syscall.h>
#include <unistd.h>

int spawn_add_closefrom(posix_spawn_file_actions_t *actions, int lowest) {
    return posix_spawn_file_actions_addclosefrom_np(actions, lowest);
}

int spawn_add_chdir(posix_spawn_file_actions_t *actions, const char *directory) {
    return posix_spawn_file_actions_addchdir_np(actions, directory);
}

short spawn_flag_new_session(void) {
    return POSIX_SPAWN_SETSID;
}

char **spawn_environment(void) {
    return environ;
}

int spawn_watch_process(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int spawn_is_being_written(int descriptor) {
    // The kernel grants a read lease only if no process has the file open for writing.
    if (fcntl(descriptor, F_SETLEASE, F_RDLCK) == 0) return fcntl(descriptor, F_SETLEASE, F_UNLCK);
    return errno == EAGAIN ? 1 : -1;
}

int spawn_enter_network(int descriptor) {
    return setns(descriptor, CLONE_NEWNET);
}
