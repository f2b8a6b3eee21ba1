package import Systemd

/// Who watches folders: the control loop, and in tests one that fails or loses events.
package protocol FolderWatcher: Sendable {
    /// Calls `handler` with each of `events` of the folder at `path`: ``SystemEventLoop/watchFolder(_:_:handler:)``.
    func watchFolder(
        _ path: String, _ events: FolderEvents, handler: @escaping @Sendable (FolderChange) -> Void
    ) throws(SystemdError) -> EventSource
}

extension SystemEventLoop: FolderWatcher {}
