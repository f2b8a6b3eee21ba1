// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import opencode_simulator

/// Related recorded exchanges in the order of their requests, with the preparations that bring a simulator into the
/// state of the recorded server.
struct RecordedFlow: CustomTestStringConvertible, Sendable {
    /// An operation before a request is sent, which usually waits for an event.
    typealias Preparation = @Sendable (FlowPlayer) throws -> Void

    /// A step of the flow: one exchange with its preparation.
    struct Step: Sendable {
        let exchange: RecordedExchange
        let prepare: Preparation?
    }

    var steps: [Step] = []
    /// The model of the flow's session; nil if the flow has no session.
    var model: String?
    /// The duration of turns and loading, in percent of the recorded duration.
    var pace = 0
    /// The environment of a recorded server process; nil for an environment with the usual password.
    var environment: [String: String]?
    /// Whether the project's folder is open when the first request is sent.
    var opens = true

    var testDescription: String { steps.first?.exchange.name ?? "" }

    /// The name of the server's working folder.
    var folder: String { testDescription.hasPrefix("folder-") ? "goes" : "demo" }

    /// The names of the repositories in the home directory.
    var repositories: [String] {
        let needsOther = steps.contains { step in
            let exchange = step.exchange
            let fields = exchange.requestFields.map(\.1)
            return ([exchange.target, exchange.requestBody ?? ""] + fields).contains { $0.contains("other.app") }
        }
        return needsOther || model != nil ? ["demo", "other.app"] : ["demo"]
    }

    /// Every recorded exchange of 2.0.15 in its order.
    static let exchanges: [RecordedExchange] =
        ((try? Recording(version: "2.0.15").records("exchanges.jsonl")) ?? []).map {
            RecordedExchange($0, version: "2.0.15")
        }

    /// The exchanges that are not replayed, with the reasons.
    static let setAside: [String: String] = [:]

    /// All flows: the flows of the table, and a separate flow for every other exchange.
    static let all: [RecordedFlow] = {
        var remainder = exchanges.filter { setAside[$0.name] == nil }
        let named = FlowTable.flows.map { entry in
            var flow = RecordedFlow(model: entry.model, pace: entry.pace)
            for (name, prepare) in entry.steps {
                guard let index = remainder.firstIndex(where: { $0.name == name }) else { continue }
                flow.steps.append(Step(exchange: remainder.remove(at: index), prepare: prepare))
            }
            return flow
        }
        return named + remainder.map(single)
    }()

    private static func single(_ exchange: RecordedExchange) -> RecordedFlow {
        var flow = RecordedFlow(steps: [Step(exchange: exchange, prepare: FlowTable.before[exchange.name])])
        // These requests were sent when the folder had just been opened.
        if FlowTable.early.contains(exchange.name) { flow.pace = 500 }
        if exchange.name == "session-list-empty" { flow.opens = false }
        if exchange.name.hasPrefix("["), let end = exchange.name.firstIndex(of: "]") {
            let life = exchange.name[exchange.name.index(after: exchange.name.startIndex)..<end]
            flow.environment = RecordedLife.all.first { $0.name == life }?.environment
        }
        return flow
    }
}
