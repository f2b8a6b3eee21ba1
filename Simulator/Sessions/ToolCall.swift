// SPDX-License-Identifier: Apache-2.0

/// A call of a tool, with its progress.
struct ToolCall: Sendable {
    /// The progress of a call.
    enum Status: String, Sendable {
        case pending, running, completed, error
    }

    let tool: String
    let callID = "call_\(Clock.milliseconds)"
    var status = Status.pending
    var input: JSON = [:]
    var output: String?
    var error: String?
    var title: String?
    var metadata: JSON?
    var started: Int?
    var ended: Int?

    init(tool: String) {
        self.tool = tool
    }

    func state(_ look: MessageLayouts) -> JSON {
        let isOpen = status == .pending || status == .running
        return (isOpen ? look.openState : look.state).object([
            "status": .string(status.rawValue), "input": input, "raw": status == .pending ? "" : nil,
            "output": output.map { .string($0) }, "error": error.map { .string($0) },
            "title": title.map { .string($0) }, "metadata": metadata,
            "time": started.map { Layout.times(start: $0, end: ended) },
        ])
    }

    /// Starts the call with the model's input.
    mutating func run(_ input: JSON) {
        status = .running
        self.input = input
        started = Clock.milliseconds
    }

    /// Completes the call with its output.
    mutating func complete(output: String, title: String, metadata: JSON) {
        status = .completed
        self.output = output
        self.title = title
        self.metadata = metadata
        ended = Clock.milliseconds
    }

    /// Ends the call because the tool was refused or failed.
    mutating func fail(_ error: String) {
        status = .error
        self.error = error
        title = nil
        metadata = nil
        ended = Clock.milliseconds
    }
}
