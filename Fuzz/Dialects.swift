// length: 1024

import Dialects
import JSONText

/// JSON that is read is written as JSON that means the same; whatever an OpenCode 2 says, what is told of it is JSON that
/// an OpenCode 1's client can read, and a piece that is not read says the same as one that is.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    if input.byte() & 1 == 0 {
        checkJSON(Array(input.remainder()))
    } else {
        checkEvents(&input)
    }
    return 0
}

private func checkJSON(_ bytes: [UInt8]) {
    guard let json = JSONParser.parse(bytes) else {
        // Nesting is limited here, and elsewhere otherwise.
        precondition(!JSONReader.isValid(bytes) || bytes.count { $0 == 0x5B || $0 == 0x7B } > JSONParser.deepest)
        return
    }
    let written = json.bytes
    precondition(JSONReader.isValid(written) || containsHalfAPair(json))
    precondition(JSONParser.parse(written) == json)
    if let event = Event(openCode1: json), let again = event.json() {
        precondition(Event(openCode1: again) == event)
        _ = event.json(.first)
    }
    _ = Session(openCode2: json, surroundings)
    _ = QuestionForm(json)
}

private let surroundings = Surroundings(version: "2.0.15", model: Model(providerID: "p", modelID: "m"))

/// The checks' own reader takes no half surrogate pairs.
private func containsHalfAPair(_ json: JSON) -> Bool {
    switch json {
    case .brokenString: true
    case .array(let array): array.contains(where: containsHalfAPair)
    case .object(let object): object.members.contains { containsHalfAPair($0.value) }
    default: false
    }
}

private func checkEvents(_ input: inout FuzzInput) {
    var translator = StreamTranslator(surroundings)
    while let line = input.piece(endedBy: 0x0A) {
        var outcome = translator.translate(Array(line))
        if case .needs(let id) = outcome {
            precondition(!translator.knows(session: id))
            let session: JSON = [
                "id": .string(id), "projectID": "p", "location": ["directory": "/d"],
                "time": ["created": 1, "updated": 2],
            ]
            precondition(translator.learn(session: session, messages: [], isRunning: true))
            outcome = translator.translate(Array(line))
        }
        guard case .frames(let frames) = outcome else { preconditionFailure("asked twice") }
        let isWhole = JSONParser.parse(Array(line)) != nil
        for frame in frames {
            // A piece is passed on without being read: a broken event makes a broken piece.
            if case .written = frame.content, !isWhole { continue }
            guard let bytes = frame.bytes(), let json = JSONParser.parse(bytes) else { preconditionFailure("no JSON") }
            precondition(Event(openCode1: json) != nil)
        }
    }
}
