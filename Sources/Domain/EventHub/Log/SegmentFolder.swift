// SPDX-License-Identifier: Apache-2.0

internal import MappedFiles

/// The directory of a log's segments, `STATE/events/NAME`.
struct SegmentFolder: Sendable {
    /// The path of the gateway's state directory.
    let state: String
    /// The project's name, or a name that no project can have.
    let name: String

    /// The name of the directory of all logs in the state directory.
    static let events = "events"

    /// The path of the directory, for messages.
    var path: String { "\(state)/\(Self.events)/\(name)" }

    /// Returns the projects that have a directory of segments.
    static func projects(in state: String) -> [String] {
        let names = try? MappedFolder(state).folder(events, isMade: false)?.names()
        return (names ?? []).filter { !$0.hasPrefix(".") }
    }

    /// Opens the directory. Returns nil if the directory does not exist and must not be created.
    func open(isMade: Bool = true) throws(MappedFileError) -> MappedFolder? {
        try MappedFolder(state).folder(Self.events, isMade: isMade)?.folder(name, isMade: isMade)
    }

    /// Creates a segment's file. If the name is already used, the number in the name is increased.
    func make(
        _ name: SegmentName, count: Int, prepare: (MappedRegion) -> Void
    ) throws(MappedFileError) -> (name: SegmentName, region: MappedRegion) {
        guard let folder = try open() else {
            throw MappedFileError("made", path, reason: "the directory does not exist")
        }
        var name = name
        while true {
            do throws(MappedFileError) {
                return (name, try folder.make(name.text, count: count, prepare: prepare))
            } catch {
                guard error.fileExists, name.number < UInt16.max else { throw error }
                name.number += 1
            }
        }
    }

    /// The number of bytes that can be allocated in the directory; nil if the file system does not report the number.
    var availableBytes: Int? {
        get throws(MappedFileError) { try open()?.availableBytes }
    }

    /// Removes the files of these segments.
    func remove(_ names: [SegmentName]) {
        guard !names.isEmpty, let folder = try? open(isMade: false) else { return }
        for name in names { folder.remove(name.text) }
    }

    /// Removes the directory itself if it is empty.
    func removeIfEmpty() {
        guard let events = try? MappedFolder(state).folder(Self.events, isMade: false) else { return }
        events.removeFolder(name)
    }
}
