internal import MappedFiles

/// Where a log's segments are on the disk: `FOLDER/events/NAME`.
struct SegmentFolder: Sendable {
    /// The gateway's state folder.
    let state: String
    /// The project's name, or another that no project has.
    let name: String

    /// The folder of all logs in the state folder.
    static let events = "events"

    /// Where it is, for sentences.
    var path: String { "\(state)/\(Self.events)/\(name)" }

    /// The projects that have one.
    static func projects(in state: String) -> [String] {
        let names = try? MappedFolder(state).folder(events, isMade: false)?.names()
        return (names ?? []).filter { !$0.hasPrefix(".") }
    }

    /// Opens it; nil: it is not there and is not to be made.
    func open(isMade: Bool = true) throws(MappedFileError) -> MappedFolder? {
        try MappedFolder(state).folder(Self.events, isMade: isMade)?.folder(name, isMade: isMade)
    }

    /// Makes a segment's file; the number in its name is chosen so that no file has it.
    func make(
        _ name: SegmentName, count: Int, prepare: (MappedRegion) -> Void
    ) throws(MappedFileError) -> (name: SegmentName, region: MappedRegion) {
        guard let folder = try open() else { throw MappedFileError("made", path, reason: "it is not there") }
        var name = name
        while true {
            do throws(MappedFileError) {
                return (name, try folder.make(name.text, count: count, prepare: prepare))
            } catch {
                guard error.isTaken, name.number < UInt16.max else { throw error }
                name.number += 1
            }
        }
    }

    /// How many bytes can be allocated in it; nil: the file system does not say.
    var availableBytes: Int? {
        get throws(MappedFileError) { try open()?.availableBytes }
    }

    /// Removes segments' files.
    func remove(_ names: [SegmentName]) {
        guard !names.isEmpty, let folder = try? open(isMade: false) else { return }
        for name in names { folder.remove(name.text) }
    }

    /// Removes the folder itself, if nothing is left in it.
    func removeIfEmpty() {
        guard let events = try? MappedFolder(state).folder(Self.events, isMade: false) else { return }
        events.removeFolder(name)
    }
}
