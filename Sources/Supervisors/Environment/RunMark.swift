/// What the environment of a server, and of all that it starts, tells of it: by that they are found when they have left
/// the process group, and when the gateway that started them is gone.
enum RunMark {
    /// The run's id.
    static let run = "VIBEREMOTE_RUN"
    /// The projects' folder (``FolderIdentity/text``) of the gateway that runs it as its child; not in units, which belong
    /// to their service manager.
    static let projects = "VIBEREMOTE_PROJECTS"
}
