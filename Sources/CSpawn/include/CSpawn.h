#pragma once
#include <spawn.h>

// GNU calls, such as posix_spawn(3)'s further actions, behind plain declarations: _GNU_SOURCE in a module's header makes C modules disagree about types.

/// In the child, closes every descriptor from `lowest` on.
int spawn_add_closefrom(posix_spawn_file_actions_t *actions, int lowest);

/// In the child, changes the working directory.
int spawn_add_chdir(posix_spawn_file_actions_t *actions, const char *directory);

/// POSIX_SPAWN_SETSID: the child leads a session of its own.
short spawn_flag_new_session(void);

/// The program's own environment; behind a function because Swift 6 takes the variable for shared state.
char **spawn_environment(void);

/// A descriptor that becomes readable when the process ends, whoever its parent is (pidfd_open(2)); -1 with errno ESRCH when there is none.
int spawn_watch_process(pid_t process);

/// Whether somebody has a file open for writing, told by a descriptor that reads it: 1 or 0, or -1 and errno (fcntl(2), F_SETLEASE).
int spawn_is_being_written(int descriptor);

/// Moves the calling thread into the network name space behind a descriptor (setns(2)); -1 and errno when it can't.
int spawn_enter_network(int descriptor);
