// SPDX-License-Identifier: Apache-2.0

#pragma once
#include <spawn.h>

// Wraps GNU calls, such as additional file actions of posix_spawn(3), in plain declarations. If a module's header
// defined _GNU_SOURCE, C modules would disagree about types.

/// Closes every descriptor from `lowest` on in the child.
int spawn_add_closefrom(posix_spawn_file_actions_t *actions, int lowest);

/// Changes the working directory of the child.
int spawn_add_chdir(posix_spawn_file_actions_t *actions, const char *directory);

/// Returns POSIX_SPAWN_SETSID, with which the child becomes the leader of a new session.
short spawn_flag_new_session(void);

/// Returns the program's own environment. This is a function because Swift 6 treats the variable as shared mutable
/// state.
char **spawn_environment(void);

/// Returns a descriptor that becomes readable when the process ends, regardless of its parent (pidfd_open(2)). Returns
/// -1 with errno ESRCH if there is no such process.
int spawn_watch_process(pid_t process);

/// Returns 1 if any process has the file of a read-only descriptor open for writing, otherwise 0. Returns -1 and sets
/// errno on failure (fcntl(2), F_SETLEASE).
int spawn_is_being_written(int descriptor);

/// Moves the calling thread into the network namespace of a descriptor (setns(2)). Returns -1 and sets errno on
/// failure.
int spawn_enter_network(int descriptor);
