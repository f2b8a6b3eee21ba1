// SPDX-License-Identifier: Apache-2.0

/// The settings that determine which folders are projects, and which requests to projects are accepted.
package struct ProjectSettings: Sendable, Equatable {
    /// Whether a symbolic link that leads out of the home directory is a project.
    package internal(set) var followsLinks = false
    /// Whether requests may name only the directories of their project.
    package internal(set) var pinsDirectories = false
    /// Whether the gateway translates OpenCode 1's routes for OpenCode 2 instances.
    package internal(set) var isOpenCode1Compatible = false
}

/// The settings for projects and their folders.
extension Settings {
    static let projects: [Setting] = [
        Setting(
            "follow-links", environment: "VIBE_FOLLOW_LINKS", syntax: .onOff, field: \.projects.followsLinks,
            default: .text("off"),
            group: .projects,
            "Treat symbolic links that lead out of the home directory as projects too."),
        Setting(
            "directory-pinning", environment: "VIBE_DIRECTORY_PINNING", syntax: .onOff,
            field: \.projects.pinsDirectories,
            default: .text("on"),
            group: .projects,
            """
            Restrict each project to its own directory and worktrees: reject requests that name another directory \
            (`?directory=`, `location[directory]=`, `x-opencode-directory`), and remove other directories' sessions and events \
            from lists and event streams. `--no-directory-pinning` turns it off.
            """
        ).reloaded,
        Setting(
            "opencode1-compat", environment: "VIBE_OPENCODE1_COMPAT", syntax: .onOff,
            field: \.projects.isOpenCode1Compatible, default: .text("on"),
            group: .projects,
            """
            Translate OpenCode 1's routes and event streams for an OpenCode 2 instance, so that clients of OpenCode 1 can use it. \
            Requests for paths below `/api/` always reach OpenCode 2 unchanged. `off`: forward every request unchanged.
            """
        ).reloaded,
    ]
}
