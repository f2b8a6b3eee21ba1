// SPDX-License-Identifier: Apache-2.0

// length: 1024

import Dialects
import JSONText

/// Checks that JSON that is parsed and written again has the same meaning. For every event of OpenCode 2, the
/// translated events must be JSON that a client of OpenCode 1 can parse. The deltas of texts must also be such JSON,
/// although the translation does not parse them.
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
        // The parser limits nesting, and the reader of the checks has a different limit.
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

private let surroundings = InstanceDefaults(version: "2.0.15", model: Model(providerID: "p", modelID: "m"))

/// Returns whether the JSON contains an unpaired surrogate, which the reader of the checks rejects.
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
    while let line = input.bytes(endedBy: 0x0A) {
        var outcome = translator.translate(Array(line))
        if case .needs(let id) = outcome {
            precondition(!translator.knows(session: id))
            let session: JSON = [
                "id": .string(id), "projectID": "p", "location": ["directory": "/d"],
                "time": ["created": 1, "updated": 2],
            ]
            precondition(translator.restore(session: session, messages: [], isRunning: true))
            outcome = translator.translate(Array(line))
        }
        guard case .frames(let frames) = outcome else { preconditionFailure("asked twice") }
        let isWhole = JSONParser.parse(Array(line)) != nil
        for frame in frames {
            // A delta is forwarded without being parsed, so the translation of a malformed event is malformed.
            if case .delta = frame.content, !isWhole { continue }
            guard let bytes = frame.bytes(), let json = JSONParser.parse(bytes) else { preconditionFailure("no JSON") }
            precondition(Event(openCode1: json) != nil)
        }
    }
}
