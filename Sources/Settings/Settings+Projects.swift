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
    ]
}
