// SPDX-License-Identifier: Apache-2.0

import Encodings
package import OpenCodeFamilies

/// A reader's selection of one instance's events. The selection is a value type. If sessions are selected, the
/// selection adds their child sessions when an event names them.
package struct EventSelector: Sendable {
    /// A pattern for event types: either a whole type, or the beginning of types, such as `message.*`.
    package struct TypePattern: Sendable, Hashable {
        private let text: [UInt8]
        private let isPrefix: Bool

        /// Creates a pattern from a type, or from the beginning of a type followed by `*`. Returns nil for any other
        /// text.
        package init?(_ text: String) {
            let bytes = Array(text.utf8)
            isPrefix = bytes.last == UInt8(ascii: "*")
            self.text = isPrefix ? Array(bytes.dropLast()) : bytes
            guard !bytes.isEmpty, !self.text.contains(UInt8(ascii: "*")) else { return nil }
        }

        func matches(_ type: borrowing Span<UInt8>) -> Bool {
            guard isPrefix ? type.count >= text.count : type.count == text.count else { return false }
            for index in text.indices where type[index] != text[index] { return false }
            return true
        }
    }

    /// The maximum number of sessions that a reader can select at once, including child sessions. Child sessions beyond
    /// this number are not added.
    package static let mostSessions = 1_000

    /// The only directory whose events are selected, as on OpenCode 1's `/event`; nil selects all directories. With a
    /// directory, the `sync` events are omitted, because they contain the order of another stream.
    package var directory: [UInt8]?
    /// Another path of the directory that events may contain.
    package var alias: [UInt8]?
    /// The patterns of the selected event types. An empty list selects all types.
    package var types: [TypePattern] = []
    /// The sessions whose events are selected, together with their children; nil selects all sessions.
    package var sessions: Set<[UInt8]>?

    /// The names of the projects whose events and gaps are selected in a stream of all projects; nil selects all
    /// projects.
    package var projects: Set<String>?

    /// Creates a selection of all events.
    package init() {}

    /// Whether the selection contains every event.
    package var admitsAll: Bool { directory == nil && types.isEmpty && sessions == nil }

    /// Whether the selection never changes. A selection with sessions can change, because it adds child sessions.
    package var isConstant: Bool { sessions == nil }

    /// Returns whether a stream of all projects contains the events of this project.
    func admits(project: String) -> Bool {
        guard let projects else { return true }
        // Canonically equivalent names can belong to different folders.
        return projects.contains(project) && projects.contains { $0.utf8.elementsEqual(project.utf8) }
    }

    /// Returns whether the selection contains this event.
    package mutating func admits(_ event: StoredEvent) -> Bool {
        if admitsAll { return true }
        if let directory {
            let isNamed = event.withDirectory { name in
                Self.equal(name, directory) || alias.map { Self.equal(name, $0) } ?? false
            }
            guard isNamed == true else { return false }
            guard !event.withType({ Self.equal($0, Self.sync) }) else { return false }
        }
        if sessions != nil {
            guard let session = event.withSession({ [UInt8](copying: $0) }) else { return false }
            guard admits(session, parent: event.skeleton.parentSession) else { return false }
        }
        return types.isEmpty || event.withType { type in types.contains { $0.matches(type) } }
    }

    /// Returns whether the selection contains a made frame with this skeleton.
    package mutating func admits(_ skeleton: EventSkeleton) -> Bool {
        if admitsAll { return true }
        if directory != nil { guard isNamed(skeleton.directory), skeleton.type != Self.sync else { return false } }
        if sessions != nil {
            guard let session = skeleton.session, admits(session, parent: skeleton.parentSession) else { return false }
        }
        return types.isEmpty || types.contains { $0.matches(skeleton.type.span) }
    }

    /// Returns whether `name` is the selection's directory or its alias.
    package func isNamed(_ name: [UInt8]?) -> Bool { name != nil && (name == directory || name == alias) }

    private mutating func admits(_ session: [UInt8], parent: [UInt8]?) -> Bool {
        guard let sessions, !sessions.contains(session) else { return true }
        guard let parent, sessions.contains(parent) else { return false }
        if sessions.count < Self.mostSessions { self.sessions?.insert(session) }
        return true
    }

    private static let sync = Array("sync".utf8)

    static func equal(_ span: borrowing Span<UInt8>, _ bytes: [UInt8]) -> Bool {
        guard span.count == bytes.count else { return false }
        for index in bytes.indices where span[index] != bytes[index] { return false }
        return true
    }
}
