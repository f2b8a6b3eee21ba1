// SPDX-License-Identifier: Apache-2.0

// length: 512

import Conversations
import Dialects
import JSONText

/// For every message of a chat's client and every request body, the response is JSON of at most 1 MiB. A response to a
/// request also conforms to the contract. No response of OpenCode changes that.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let kind = input.byte()
    if kind & 1 == 0 { checkChat(&input) } else { checkRequest(&input, kind >> 1) }
    return 0
}

private let now: Int64 = 1_800_000_000_000

private func checkChat(_ input: inout FuzzInput) {
    var state = ConversationState(directory: "/d", kept: [])
    var chat = ChatSession(version: "1")
    var actions = chat.opened(nil)
    while let line = input.bytes(endedBy: 0x0A) {
        actions += chat.receive(Array(line), in: &state, at: now) { 1 }
        var steps = 0
        while steps < actions.count, steps < 64 {
            defer { steps += 1 }
            switch actions[steps] {
            case .send(let text):
                precondition(text.count <= 1 << 20)
                precondition(JSONParser.parse(text)?["type"]?.text != nil)
            case .run(let number, let plan):
                // A response of OpenCode may contain text that the client sent, so use the line for the response.
                actions += chat.finished(number, settle(plan, Array(line)), in: &state, at: now) { 2 }
            case .watch, .publish, .publishToOthers: continue
            }
        }
        actions = []
    }
}

private func checkRequest(_ input: inout FuzzInput, _ kind: UInt8) {
    var state = ConversationState(directory: "/d", kept: [])
    let methods = ["GET", "POST", "PATCH", "DELETE"]
    let target = Array(input.bytes(endedBy: 0x0A) ?? [])
    let body = Array(input.remainder())
    let path = String(decoding: target, as: UTF8.self).split(separator: "/").map(String.init)
    let id = ConversationID(session: "ses_1").text
    let known = [["models"], ["conversations"], ["conversations", id], ["conversations", id, "messages"], path]
    let query = [(name: "cursor", value: path.last ?? ""), (name: "limit", value: path.first ?? "3")]
    let request = ConversationRequest(
        methods[Int(kind & 3)], known[Int(kind >> 2) % known.count], query: kind & 64 == 0 ? [] : query, body: body)
    var work = ConversationWork(request, at: now) { 3 }
    var step = work.start(in: state)
    while true {
        switch step {
        case .run(let plan): step = work.finished(settle(plan, body), in: &state, at: now)
        case .answer(let answer, _):
            precondition(answer.status == 204 ? answer.body.isEmpty : JSONReader.isValid(answer.body))
            return
        case .stream: return
        }
    }
}

private func settle<Value>(_ plan: Plan<Value>, _ body: [UInt8]) -> Result<Value, ConversationError> {
    var plan = plan
    for _ in 0..<32 {
        switch plan {
        case .send(_, let next): plan = next(OpenCodeAnswer(200, body))
        case .ended(_, let next): plan = next(body.count % 2 == 0)
        case .pause(_, let next), .aborting(_, let next), .store(_, let next): plan = next()
        case .done(let value): return .success(value)
        case .refused(let refusal): return .failure(refusal)
        }
    }
    return .failure(ConversationError(.failed, "It asks for ever."))
}
