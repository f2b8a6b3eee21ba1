// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A step of an answer while it is being written.
struct Step {
    var info: AssistantMessage
    /// OpenCode 2's id of the message.
    let id: String
    /// The snapshot before the step.
    var before: String?
    /// Whether its first part was emitted. A step that fails before the provider sends anything has no parts.
    var isStarted = false
    var texts: [Int: OpenText] = [:]
    var reasonings: [Int: OpenText] = [:]
    /// The deltas of each reasoning since its beginning: JSON without its quotes. Nil if its beginning was not among
    /// the events, it is too long, or its end was emitted.
    private(set) var reasoned: [Int: [UInt8]] = [:]
    var tools: [String: OpenTool] = [:]
    /// The number of contents, which is the position of the next one.
    var count = 0
    /// Whether a user refused a tool's request.
    var wasRefused = false
    /// Whether the step has ended, successfully or not.
    var isOver = false

    init(_ info: AssistantMessage, id: String, before: String?) {
        self.info = info
        self.id = id
        self.before = before
    }

    /// A text or a reasoning.
    struct OpenText {
        let place: Int
        let start: Number
        /// Whether its beginning was emitted. The beginning waits for the first delta, because OpenCode 2 may begin a
        /// text before it has sent the remainder of the reasoning.
        var isEmitted = false
        /// The part that its deltas are added to.
        let part: GrowingPart
    }

    struct OpenTool {
        let name: String
        let place: Int
        let created: Number
        var input = JSONObject()
        var start: Number?
        var metadata: JSONObject?
        var isOpen = true
    }

    /// The maximum size of a stored reasoning, in bytes.
    private static let longestReasoning = 1 << 20

    /// Starts collecting a reasoning, whose beginning has just arrived.
    mutating func beginReasoning(_ ordinal: Int) { reasoned[ordinal] = [] }

    /// Adds a delta of a reasoning in the answer with this id.
    mutating func reason(_ ordinal: Int, in message: ArraySlice<UInt8>, _ addition: ArraySlice<UInt8>) {
        guard let count = reasoned[ordinal]?.count, message.elementsEqual(id.utf8) else { return }
        if count + addition.count <= Self.longestReasoning {
            reasoned[ordinal]?.append(contentsOf: addition)
        } else {
            reasoned[ordinal] = nil
        }
    }

    /// Removes and returns the whole text of a reasoning; nil if it is unknown.
    mutating func takeReasoning(_ ordinal: Int) -> String? {
        guard let said = reasoned.removeValue(forKey: ordinal) else { return nil }
        return JSONParser.parse([UInt8(ascii: "\"")] + said + [UInt8(ascii: "\"")])?.text
    }

    /// Returns the position of the next content.
    mutating func take() -> Int {
        defer { count += 1 }
        return count
    }

    /// Returns a text or reasoning that begins.
    func opened(place: Int, start: Number) -> OpenText {
        OpenText(place: place, start: start, part: GrowingPart(PartIDs.make(info.id, .content(place)), of: info))
    }
}
