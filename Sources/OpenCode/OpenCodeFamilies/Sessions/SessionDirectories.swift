// SPDX-License-Identifier: Apache-2.0

/// The known directories of an instance's sessions.
///
/// The table stores at most ``capacity`` sessions. A full table removes the sessions that were stored longest ago. The
/// table stores sessions in the young half. When the young half is full, it replaces the old half. Every operation
/// takes constant time.
package struct SessionDirectories: Sendable {
    /// The information about one session.
    package enum Location: Sendable, Equatable {
        /// The session's working directory.
        case directory([UInt8])
        /// The instance does not know the session.
        case nowhere
    }

    /// The default maximum number of stored sessions.
    package static let capacity = 100_000

    /// The maximum number of directories whose sessions share one copy of the path.
    private static let sharedDirectories = 1_000

    private let half: Int
    private var young: [[UInt8]: Location] = [:]
    private var old: [[UInt8]: Location] = [:]
    private var directories: Set<[UInt8]> = []

    /// Creates a table without any sessions.
    package init(capacity: Int = SessionDirectories.capacity) { half = max(1, capacity / 2) }

    /// The number of known sessions.
    package var count: Int { young.count + old.count }

    /// Returns the information about a session; nil if the session is unknown.
    package subscript(session: [UInt8]) -> Location? { young[session] ?? old[session] }

    /// Stores the directory that a session belongs to from now on.
    package mutating func record(_ session: [UInt8], _ directory: [UInt8]) {
        guard SessionIdentifier.isValid(session), !directory.isEmpty else { return }
        // Compare with the known value first, because nearly all events repeat known values.
        if case .directory(let known)? = young[session], known == directory { return }
        if directories.count >= Self.sharedDirectories { directories = [] }
        store(.directory(directories.insert(directory).memberAfterInsert), for: session)
    }

    /// Records that the instance does not know this session, so that the gateway does not query the session again.
    package mutating func recordMissing(_ session: [UInt8]) { store(.nowhere, for: session) }

    private mutating func store(_ location: Location, for session: [UInt8]) {
        if young[session] == nil {
            if young.count >= half {
                old = young
                young = [:]
            }
            old[session] = nil
        }
        young[session] = location
    }
}

/// Validates session ids that are used in paths.
package enum SessionIdentifier {
    private static let longest = 128

    /// Returns whether the text consists of at most 128 letters, digits, `_` and `-`. In OpenCode 2.0.15, session ids
    /// (`ses_…`) have 30 characters.
    package static func isValid(_ text: some Collection<UInt8>) -> Bool {
        // Copy the text, so that the validation itself is not generic.
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
