/// Which folders are projects, and what requests to them may name and ask for.
package struct ProjectSettings: Sendable, Equatable {
    /// Whether a symbolic link that leads out of the projects' folder is a project.
    package internal(set) var followsLinks = false
    /// Whether requests may name only their project's own folder as a directory.
    package internal(set) var pinsDirectories = false
    /// Whether OpenCode 1's routes are answered in front of an OpenCode 2.
    package internal(set) var speaksOpenCode1 = false
}

/// Projects and their folders.
extension Settings {
    static let projects: [Setting] = [
        Setting(
            "follow-links", "VIBE_FOLLOW_LINKS", .onOff, \.projects.followsLinks, default: .text("off"),
            group: .projects,
            "Whether symbolic links that lead out of the projects' folder are projects too."),
        Setting(
            "directory-pinning", "VIBE_DIRECTORY_PINNING", .onOff, \.projects.pinsDirectories, default: .text("on"),
            group: .projects,
            """
            Whether a request to a project may name only that project's folder and worktrees as a directory \
            (`?directory=`, `location[directory]=`, `x-opencode-directory`), and other folders' sessions and events are \
            left out of its lists and event streams. `--no-directory-pinning` switches it off.
            """
        ).reloaded,
        Setting(
            "speak-1", "VIBE_SPEAK_1", .onOff, \.projects.speaksOpenCode1, default: .text("on"), group: .projects,
            """
            Whether clients of OpenCode 1 are understood in front of an OpenCode 2: their routes and event streams are \
            translated. Everything below `/api/` is OpenCode 2's own. `off`: every request is passed on as it came.
            """
        ).reloaded,
    ]
}
