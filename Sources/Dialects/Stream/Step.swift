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
