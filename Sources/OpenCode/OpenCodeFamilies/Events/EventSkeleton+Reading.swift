// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

extension EventSkeleton {
    /// Parses the JSON of one `data:` line. OpenCode 1's lines contain an event in the format of `/event`, or such an
    /// event wrapped by `/global/event`. OpenCode 2's lines contain an event of `/api/event`.
    ///
    /// If the JSON is malformed, the skeleton contains the values before the error. The parser ignores an id or a
    /// directory of more than 4096 bytes. The parser reads OpenCode 1's lines to the end, because only the end shows
    /// where the wrapped event ends. The parser reads OpenCode 2's events about an answer's texts, tools and steps only
    /// up to the ids of the session and the message.
    package init(line: borrowing Span<UInt8>, family: APIFamily) {
        self.init()
        payload = 0..<line.count
        switch family {
        case .one: parseOpenCode1(line)
        case .two: parseOpenCode2(line)
        }
    }

    /// The values that were found in one line, by the index of their path.
    private struct Findings {
        private var all = InlineArray<32, JSONValueFinder.Finding?>(repeating: nil)

        subscript(pathIndex: Int) -> JSONValueFinder.Finding? {
            get { all[pathIndex] }
            set { all[pathIndex] = newValue }
        }

        func has(_ path: OpenCode2Path) -> Bool { all[path.rawValue] != nil }

        /// Returns the string that was found at a path.
        func text(_ pathIndex: Int, in line: borrowing Span<UInt8>) -> [UInt8]? {
            all[pathIndex].flatMap { EventSkeleton.text($0, in: line) }
        }
    }

    // MARK: OpenCode 1

    /// The paths that are read in an event from OpenCode 1.
    private enum OpenCode1Path: Int, CaseIterable {
        case type, session, message, part, directory, assistantMessage, infoID, infoSession, infoParent, partID,
            partSession,
            partMessage, syncSession

        var path: String {
            switch self {
            case .type: "type"
            case .session: "properties.sessionID"
            case .message: "properties.messageID"
            case .part: "properties.partID"
            case .directory: "properties.directory"
            case .assistantMessage: "properties.assistantMessageID"
            case .infoID: "properties.info.id"
            case .infoSession: "properties.info.sessionID"
            case .infoParent: "properties.info.parentID"
            case .partID: "properties.part.id"
            case .partSession: "properties.part.sessionID"
            case .partMessage: "properties.part.messageID"
            case .syncSession: "syncEvent.data.sessionID"
            }
        }
    }

    private static let plainCount = OpenCode1Path.allCases.count
    /// The index of the wrapper's first path, which follows the paths of the plain event and of the wrapped event.
    private static let wrapper = 2 * plainCount
    private static let wrapped = wrapper + 1
    private static let openCode1Paths = JSONPaths(
        OpenCode1Path.allCases.map(\.path) + OpenCode1Path.allCases.map { "payload.\($0.path)" } + [
            "directory", "payload",
        ])

    private mutating func parseOpenCode1(_ line: borrowing Span<UInt8>) {
        var found = Findings()
        JSONValueFinder.find(Self.openCode1Paths, in: line) {
            found[$0.pathIndex] = $0
            return true
        }
        var offset = 0
        if let inner = found[Self.wrapped], line[inner.range.lowerBound] == UInt8(ascii: "{") {
            payload = inner.range
            offset = Self.plainCount
        } else if found[Self.plainCount + OpenCode1Path.type.rawValue] != nil {
            // The wrapped event is truncated, but its type was found. Read the members of the wrapped event.
            offset = Self.plainCount
        }
        func text(_ path: OpenCode1Path, _ line: borrowing Span<UInt8>) -> [UInt8]? {
            found.text(offset + path.rawValue, in: line)
        }
        type = text(.type, line) ?? []
        let isSession = type.starts(with: "session.".utf8)
        let isMessage = type.starts(with: "message.".utf8)
        session =
            text(.session, line) ?? text(.infoSession, line) ?? text(.partSession, line) ?? text(.syncSession, line)
        if session == nil, isSession { session = text(.infoID, line) }
        message = text(.message, line) ?? text(.partMessage, line) ?? text(.assistantMessage, line)
        if message == nil, isMessage { message = text(.infoID, line) }
        part = text(.part, line) ?? (isMessage ? text(.partID, line) : nil)
        if isSession { parentSession = text(.infoParent, line) }
        directory = found.text(Self.wrapper, in: line)
        // An event that concerns the whole server names the directory "global" or no directory. Treat both cases alike.
        if let named = directory, named.isEmpty || named.elementsEqual("global".utf8) { directory = nil }
        if directory == nil, isDispose { directory = text(.directory, line) }
    }

    // MARK: OpenCode 2

    /// The paths that are read in an event from OpenCode 2.
    private enum OpenCode2Path: Int {
        case type, directory, session, formSession, message, assistantMessage, parent
    }

    private static let openCode2Paths = JSONPaths(
        "type", "location.directory", "data.sessionID", "data.form.sessionID", "data.messageID",
        "data.assistantMessageID",
        "data.parentID")

    private mutating func parseOpenCode2(_ line: borrowing Span<UInt8>) {
        var found = Findings()
        var isDelta = false
        // Copy the line, because a closure cannot capture a borrowed value.
        let bytes = copy line
        JSONValueFinder.find(Self.openCode2Paths, in: bytes) {
            found[$0.pathIndex] = $0
            if $0.pathIndex == OpenCode2Path.type.rawValue { isDelta = Self.isDelta($0, in: bytes) }
            return !(isDelta && found.has(.assistantMessage) && found.has(.session) && found.has(.directory))
        }
        func text(_ path: OpenCode2Path, _ line: borrowing Span<UInt8>) -> [UInt8]? {
            found.text(path.rawValue, in: line)
        }
        type = text(.type, line) ?? []
        directory = text(.directory, line)
        session = text(.session, line) ?? text(.formSession, line)
        message = text(.assistantMessage, line) ?? text(.message, line)
        // Read the parent only from `session.created`. The event of a fork also names a parent, but a fork is not a
        // child.
        if type.elementsEqual("session.created".utf8) { parentSession = text(.parent, line) }
    }

    /// Returns whether an event of this type contains no relevant values after the ids of its session and message.
    private static func isDelta(_ type: JSONValueFinder.Finding, in line: borrowing Span<UInt8>) -> Bool {
        for prefix in deltaPrefixes where prefix.count < type.range.count {
            var count = 0
            while count < prefix.count, line[type.range.lowerBound + count] == prefix[count] { count += 1 }
            if count == prefix.count { return true }
        }
        return false
    }

    private static let deltaPrefixes = ["text", "reasoning", "tool", "step"].map { Array("\"session.\($0).".utf8) }

    // MARK: Texts

    /// Returns a found string; nil if the value is not a string or is too long.
    private static func text(_ finding: JSONValueFinder.Finding, in line: borrowing Span<UInt8>) -> [UInt8]? {
        guard line[finding.range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let range = finding.range.lowerBound + 1..<finding.range.upperBound - 1
        if finding.isEscaped { return JSONString.decoded(line, range) }
        guard range.count <= JSONString.longest else { return nil }
        return [UInt8](copying: line.extracting(range))
    }
}

extension EventSkeleton {
    /// Whether the event only shows that the stream is alive. Only OpenCode 1 has such events. OpenCode 2 sends
    /// comments instead.
    package var isHeartbeat: Bool { type.elementsEqual("server.heartbeat".utf8) }

    /// Whether the event is the first of a stream.
    package var isConnected: Bool { type.elementsEqual("server.connected".utf8) }

    /// Whether the event reports that an OpenCode 2 instance has closed ``directory``.
    package var isShutdown: Bool { type.elementsEqual("location.shutdown".utf8) }

    /// Whether the event reports that an OpenCode 1 instance has ended all work in ``directory``.
    package var isDispose: Bool { type.elementsEqual("server.instance.disposed".utf8) }
}
