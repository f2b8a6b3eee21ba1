internal import JSONText

/// An answer's step while it is written.
struct Step {
    var info: AssistantMessage
    /// OpenCode 2's id of it.
    let id: String
    /// The snapshot before it.
    var before: String?
    /// Whether its first part has been told. A step that fails before the provider says anything has none.
    var isStarted = false
    var texts: [Int: OpenText] = [:]
    var reasonings: [Int: OpenText] = [:]
    /// What was said of each reasoning since its beginning: JSON without its quotes. Nil: its beginning was not among the events, it
    /// is too long, or its end was told.
    private(set) var reasoned: [Int: [UInt8]] = [:]
    var tools: [String: OpenTool] = [:]
    /// How many contents there are: the next one's place.
    var count = 0
    /// Whether a person refused what a tool asked for.
    var wasRefused = false
    /// Whether it has ended, well or not.
    var isOver = false

    init(_ info: AssistantMessage, id: String, before: String?) {
        (self.info, self.id, self.before) = (info, id, before)
    }

    /// A text or a reasoning.
    struct OpenText {
        let place: Int
        let start: Number
        /// Whether its beginning has been told: that waits for the first piece, as OpenCode 2 may begin a text before it
        /// has told the rest of the reasoning.
        var isTold = false
        /// What stands between an event's id and what is added, in the event that tells a piece.
        let opening: [UInt8]
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

    /// Bytes of a reasoning that are kept.
    private static let longestReasoning = 1 << 20

    /// From now on everything is heard of a reasoning.
    mutating func beginReasoning(_ ordinal: Int) { reasoned[ordinal] = [] }

    /// A piece of a reasoning in the answer with this id.
    mutating func reason(_ ordinal: Int, in message: ArraySlice<UInt8>, _ addition: ArraySlice<UInt8>) {
        guard let count = reasoned[ordinal]?.count, message.elementsEqual(id.utf8) else { return }
        if count + addition.count <= Self.longestReasoning {
            reasoned[ordinal]?.append(contentsOf: addition)
        } else {
            reasoned[ordinal] = nil
        }
    }

    /// All that was said of a reasoning; nil where it is not known, and from then on.
    mutating func takeReasoning(_ ordinal: Int) -> String? {
        guard let said = reasoned.removeValue(forKey: ordinal) else { return nil }
        return JSONParser.parse([UInt8(ascii: "\"")] + said + [UInt8(ascii: "\"")])?.text
    }

    /// The next content's place.
    mutating func take() -> Int {
        defer { count += 1 }
        return count
    }

    /// A text or reasoning that begins.
    func opened(place: Int, start: Number) -> OpenText {
        OpenText(place: place, start: start, opening: Self.opening(info, PartIDs.make(info.id, .content(place))))
    }

    static func opening(_ info: AssistantMessage, _ partID: String) -> [UInt8] {
        var bytes = Array(#","type":"message.part.delta","properties":{"sessionID":"#.utf8)
        bytes.append(json: .string(info.sessionID))
        bytes += #","messageID":"#.utf8
        bytes.append(json: .string(info.id))
        bytes += #","partID":"#.utf8
        bytes.append(json: .string(partID))
        bytes += #","field":"text","delta":"#.utf8
        return bytes
    }
}
