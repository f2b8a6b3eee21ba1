// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// Changes to a watched directory or to an entry in it, as inotify(7) reports them.
package struct FolderEvents: OptionSet, Sendable {
    /// The kernel's event bits (inotify(7)).
    package let rawValue: UInt32

    /// Creates a set from the kernel's event bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// An entry was created or moved into the directory.
    package static let appeared = FolderEvents(rawValue: UInt32(IN_CREATE | IN_MOVED_TO))
    /// An entry was removed or moved out of the directory.
    package static let disappeared = FolderEvents(rawValue: UInt32(IN_DELETE | IN_MOVED_FROM))
    /// A file that was open for writing was closed.
    package static let written = FolderEvents(rawValue: UInt32(IN_CLOSE_WRITE))
    /// The owner, mode or another attribute of an entry, or of the directory itself, has changed.
    package static let attributes = FolderEvents(rawValue: UInt32(IN_ATTRIB))
    /// The directory itself was removed, moved or unmounted.
    package static let folderRemoved = FolderEvents(
        rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED))
    /// The kernel's queue was full, and events for any watched directory may be lost. Every watch receives this event.
    package static let overflowed = FolderEvents(rawValue: UInt32(IN_Q_OVERFLOW))
}

/// A change to a watched directory.
package struct FolderChange: Sendable, Equatable {
    /// The events that make up the change.
    package let events: FolderEvents
    /// The name of the affected entry, in bytes because it is not necessarily valid text; nil for the directory itself.
    package let entry: [UInt8]?

    /// Creates a change from its events and entry.
    package init(events: FolderEvents, entry: [UInt8]?) {
        self.events = events
        self.entry = entry
    }
}
