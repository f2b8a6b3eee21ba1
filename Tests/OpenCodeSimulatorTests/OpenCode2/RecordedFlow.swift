import Testing

@testable import opencode_simulator

/// Recorded exchanges that belong together, in the order in which they were sent, and what brings a simulator where the
/// recorded server was.
struct RecordedFlow: CustomTestStringConvertible, Sendable {
    /// Something that is done before a request is sent: waiting for an event, as a rule.
    typealias Preparation = @Sendable (FlowPlayer) throws -> Void

    /// One exchange of the flow.
    struct Step: Sendable {
        let exchange: RecordedExchange
        let prepare: Preparation?
    }

    var steps: [Step] = []
    /// The model of the session that the flow is about; nil for none.
    var model: String?
    /// The time that turns and loading take, in percent.
    var pace = 0
    /// The variables of a server's life; nil for the usual password.
    var environment: [String: String]?
    /// Whether the project's folder is open when the first request is sent.
    var opens = true

    var testDescription: String { steps.first?.exchange.name ?? "" }

    /// The folder in which the server runs.
    var folder: String { testDescription.hasPrefix("folder-") ? "goes" : "demo" }

    /// The repositories that there are.
    var repositories: [String] {
        let needsOther = steps.contains { step in
            let exchange = step.exchange
            let fields = exchange.requestFields.map(\.1)
            return ([exchange.target, exchange.requestBody ?? ""] + fields).contains { $0.contains("other.app") }
        }
        return needsOther || model != nil ? ["demo", "other.app"] : ["demo"]
    }

    /// Every recorded exchange of 2.0.15, in order.
    static let exchanges: [RecordedExchange] =
        ((try? Recording(version: "2.0.15").records("exchanges.jsonl")) ?? []).map {
            RecordedExchange($0, version: "2.0.15")
        }

    /// What is not played, and why.
    static let setAside: [String: String] = [:]

    /// Every flow: those below, and each exchange that is in none of them for itself.
    static let all: [RecordedFlow] = {
        var rest = exchanges.filter { setAside[$0.name] == nil }
        let named = FlowTable.flows.map { entry in
            var flow = RecordedFlow(model: entry.model, pace: entry.pace)
            for (name, prepare) in entry.steps {
                guard let index = rest.firstIndex(where: { $0.name == name }) else { continue }
                flow.steps.append(Step(exchange: rest.remove(at: index), prepare: prepare))
            }
            return flow
        }
        return named + rest.map(single)
    }()

    private static func single(_ exchange: RecordedExchange) -> RecordedFlow {
        var flow = RecordedFlow(steps: [Step(exchange: exchange, prepare: FlowTable.before[exchange.name])])
        // These were asked when the folder had just been opened.
        if FlowTable.early.contains(exchange.name) { flow.pace = 500 }
        if exchange.name == "session-list-empty" { flow.opens = false }
        if exchange.name.hasPrefix("["), let end = exchange.name.firstIndex(of: "]") {
            let life = exchange.name[exchange.name.index(after: exchange.name.startIndex)..<end]
            flow.environment = RecordedLife.all.first { $0.name == life }?.environment
        }
        return flow
    }
}
