#pragma once
#include <spawn.h>

// posix_spawn(3)'s GNU actions, behind plain declarations: _GNU_SOURCE in a module's header makes C modules disagree about types.

/// In the child, closes every descriptor from `lowest` on.
int spawn_add_closefrom(posix_spawn_file_actions_t *actions, int lowest);

/// In the child, changes the working directory.
int spawn_add_chdir(posix_spawn_file_actions_t *actions, const char *directory);
