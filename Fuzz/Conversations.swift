// SPDX-License-Identifier: Apache-2.0

// length: 512

import Conversations
import Dialects
import JSONText
import Locking

/// Checks that the response to every message of a chat's client, and to every request, is JSON of at most 1 MiB. A
/// response to a request must also conform to the contract. Both must be true regardless of OpenCode's responses.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let kind = input.byte()
    if kind & 1 == 0 { checkChat(&input) } else { checkRequest(&input, kind >> 1) }
    return 0
}

private func checkChat(_ input: inout FuzzInput) {
    let transport = Transport()
    while let line = input.bytes(endedBy: 0x0A) {
        let text = Array(line)
        // A response of OpenCode may contain text that the client sent, so use the line for the response.
        transport.assumeIsolated { $0.receive(text, responses: text) }
        transport.manualExecutor.run()
    }
}

private func checkRequest(_ input: inout FuzzInput, _ kind: UInt8) {
    let methods = ["GET", "POST", "PATCH", "DELETE"]
    let target = Array(input.bytes(endedBy: 0x0A) ?? [])
    let body = Array(input.remainder())
    let path = String(decoding: target, as: UTF8.self).split(separator: "/").map(String.init)
    let id = ConversationID(session: "ses_1").text
    let known = [["models"], ["conversations"], ["conversations", id], ["conversations", id, "messages"], path]
    let query = [(name: "cursor", value: path.last ?? ""), (name: "limit", value: path.first ?? "3")]
    let request = ConversationRequest(
        methods[Int(kind & 3)], known[Int(kind >> 2) % known.count], query: kind & 64 == 0 ? [] : query, body: body)
    let transport = Transport()
    transport.assumeIsolated { $0.start(request, responses: body) }
    transport.manualExecutor.run()
}

/// An executor that runs its jobs on the fuzzer's thread.
private final class ManualExecutor: SerialExecutor, TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        while true {
            let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let next else { return }
            next.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }

    func checkIsolated() {}
    func isIsolatingCurrentContext() -> Bool? { true }
}

/// A transport to an OpenCode whose responses are all equal. A task ends after a number of requests.
private actor Transport: ConversationTransport {
    nonisolated let manualExecutor = ManualExecutor()
    nonisolated var executor: any TaskExecutor { manualExecutor }
    nonisolated var unownedExecutor: UnownedSerialExecutor { manualExecutor.asUnownedSerialExecutor() }

    var state = ConversationState(directory: "/d", kept: [])
    let now: Int64 = 1_800_000_000_000
    private let chat = ChatSession<Transport>(number: 1, for: 0)
    private var responses: [UInt8] = []
    private var remainingRequests = 0

    func random() -> UInt64 { 1 }

    func receive(_ text: [UInt8], responses: [UInt8]) {
        self.responses = responses
        remainingRequests = 32
        chat.receive(text, over: self)
    }

    func start(_ request: ConversationRequest, responses: [UInt8]) {
        self.responses = responses
        remainingRequests = 32
        _ = Task.immediate(executorPreference: executor) {
            guard case .answer(let answer) = await self.respond(to: request, for: 0) else { return }
            precondition(answer.status == 204 ? answer.body.isEmpty : JSONReader.isValid(answer.body))
        }
    }

    func send(_ request: ClientRequest, for initiator: Int) async throws(ConversationFailure) -> OpenCodeAnswer {
        remainingRequests -= 1
        guard remainingRequests > 0 else { throw .ended }
        return OpenCodeAnswer(200, responses)
    }

    func wait(until isMet: @escaping (ConversationState) -> Bool, atMost limit: Duration)
        async throws(ConversationFailure) -> Bool
    { isMet(state) }

    func commit() {}

    func publish(_ events: [ConversationEvent], except chat: Int?) {
        for event in events where self.chat.receive(event) { send(state.chatTexts(event), to: 1) }
    }

    func send(_ messages: [[UInt8]], to chat: Int) {
        for message in messages {
            precondition(message.count <= 1 << 20)
            precondition(JSONParser.parse(message)?["type"]?.text != nil)
        }
    }
}
