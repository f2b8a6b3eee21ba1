// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A step of an answer while it is being written.
struct Step {
    var info: AssistantMessage
    /// OpenCode 2's id of the message.
    let id: String
    /// The snapshot before the step.
    var before: String?
    /// Whether the first part of the step was emitted. A step without a response from the provider has no parts.
    var isStarted = false
    var texts: [Int: OpenText] = [:]
    var reasonings: [Int: OpenText] = [:]
    /// The deltas of each reasoning text since its beginning, as JSON without quotes. A text is missing if its
    /// beginning was not received, if it is too long, or if its end was emitted.
    private(set) var reasoned: [Int: [UInt8]] = [:]
    var tools: [String: OpenTool] = [:]
    /// The number of content items, which is also the position of the next item.
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

    /// An answer text or a reasoning text.
    struct OpenText {
        let position: Int
        let start: Number
        /// Whether the beginning of the text was emitted. The beginning is emitted together with the first delta,
        /// because OpenCode 2 may begin a text before it has sent the remainder of the reasoning.
        var isEmitted = false
        /// The part that the deltas are added to.
        let part: GrowingPart
    }

    struct OpenTool {
        let name: String
        let position: Int
        let created: Number
        var input = JSONObject()
        var start: Number?
        var metadata: JSONObject?
        var isOpen = true
    }

    /// The maximum size of a stored reasoning text, in bytes.
    private static let longestReasoning = 1 << 20

    /// Starts collecting a reasoning text whose beginning has just arrived.
    mutating func startReasoning(_ ordinal: Int) { reasoned[ordinal] = [] }

    /// Adds a delta of a reasoning text in the answer with this id.
    mutating func reason(_ ordinal: Int, in message: ArraySlice<UInt8>, _ addition: ArraySlice<UInt8>) {
        guard let count = reasoned[ordinal]?.count, message.elementsEqual(id.utf8) else { return }
        if count + addition.count <= Self.longestReasoning {
            reasoned[ordinal]?.append(contentsOf: addition)
        } else {
            reasoned[ordinal] = nil
        }
    }

    /// Removes and returns a whole reasoning text; nil if it is unknown.
    mutating func removeReasoning(_ ordinal: Int) -> String? {
        guard let text = reasoned.removeValue(forKey: ordinal) else { return nil }
        return JSONParser.parse([UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")])?.text
    }

    /// Returns the position of the next content item, and counts the item.
    mutating func nextPosition() -> Int {
        defer { count += 1 }
        return count
    }

    /// Returns the initial state of an answer text or a reasoning text.
    func opened(position: Int, start: Number) -> OpenText {
        OpenText(
            position: position, start: start, part: GrowingPart(PartIDs.make(info.id, .content(position)), of: info))
    }
}
