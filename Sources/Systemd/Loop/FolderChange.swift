internal import CSystemd
internal import Glibc

/// What happened to a watched folder or to an entry of it, as inotify(7) says it.
package struct FolderEvents: OptionSet, Sendable {
    /// The kernel's bits.
    package let rawValue: UInt32

    /// From the kernel's bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// An entry came: it was made, or moved here.
    package static let appeared = FolderEvents(rawValue: UInt32(IN_CREATE | IN_MOVED_TO))
    /// An entry went: it was removed, or moved away.
    package static let disappeared = FolderEvents(rawValue: UInt32(IN_DELETE | IN_MOVED_FROM))
    /// An entry that is a file was closed by who had it open for writing.
    package static let written = FolderEvents(rawValue: UInt32(IN_CLOSE_WRITE))
    /// The owner, mode or another attribute of an entry, or of the folder itself, has changed.
    package static let attributes = FolderEvents(rawValue: UInt32(IN_ATTRIB))
    /// The folder itself was removed, moved or unmounted.
    package static let gone = FolderEvents(rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED))
    /// The kernel's queue was full: events of any watched folder are lost. Reported to every watch.
    package static let lost = FolderEvents(rawValue: UInt32(IN_Q_OVERFLOW))
}

/// One change of a watched folder.
package struct FolderChange: Sendable, Equatable {
    /// What happened.
    package let events: FolderEvents
    /// The entry that it happened to, as bytes, because a file's name need not be text; nil: the folder itself.
    package let entry: [UInt8]?

    /// A change.
    package init(events: FolderEvents, entry: [UInt8]?) {
        self.events = events
        self.entry = entry
    }
}
