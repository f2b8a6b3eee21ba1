/// Which directory each session of an instance belongs to, as far as somebody has said so.
///
/// It keeps at most ``capacity`` sessions and forgets those first that were not named for longest: they are written to the
/// young half, which takes the place of the old one when it is full. Every operation takes constant time.
package struct SessionDirectories: Sendable {
    /// What is known of one session.
    package enum Place: Sendable, Equatable {
        /// The directory that it works in.
        case directory([UInt8])
        /// The instance knows no such session.
        case nowhere
    }

    /// The most sessions that are kept.
    package static let capacity = 100_000

    /// Directories of which one copy serves all sessions.
    private static let sharedDirectories = 1_000

    private let half: Int
    private var young: [[UInt8]: Place] = [:]
    private var old: [[UInt8]: Place] = [:]
    private var directories: Set<[UInt8]> = []

    /// An empty table.
    package init(capacity: Int = SessionDirectories.capacity) { half = max(1, capacity / 2) }

    /// How many sessions are known.
    package var count: Int { young.count + old.count }

    /// What is known of a session; nil: nothing.
    package subscript(session: [UInt8]) -> Place? { young[session] ?? old[session] }

    /// A session belongs to a directory from now on.
    package mutating func learn(_ session: [UInt8], _ directory: [UInt8]) {
        guard SessionIdentifier.isValid(session), !directory.isEmpty else { return }
        // Nearly all events name what is known.
        if case .directory(let known)? = young[session], known == directory { return }
        if directories.count >= Self.sharedDirectories { directories = [] }
        put(session, .directory(directories.insert(directory).memberAfterInsert))
    }

    /// The instance knows no such session: it is not asked again.
    package mutating func learnMissing(_ session: [UInt8]) { put(session, .nowhere) }

    private mutating func put(_ session: [UInt8], _ place: Place) {
        if young[session] == nil {
            if young.count >= half {
                old = young
                young = [:]
            }
            old[session] = nil
        }
        young[session] = place
    }
}

/// A session's id, as it can stand in a path.
package enum SessionIdentifier {
    private static let longest = 128

    /// Whether it is made of letters, digits, `_` and `-` alone and no longer than any (`ses_…`, 30 characters in 2.0.15).
    package static func isValid(_ text: some Collection<UInt8>) -> Bool {
        // The one step that is generic.
        isValid(Array(text))
    }

    private static func isValid(_ text: [UInt8]) -> Bool {
        guard !text.isEmpty, text.count <= longest else { return false }
        for byte in text {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return true
    }
}
