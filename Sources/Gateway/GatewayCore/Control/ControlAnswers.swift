// SPDX-License-Identifier: Apache-2.0

import Addresses
package import HTTPServer
import HTTPTypes
package import Instances
import JSONText
package import Projects

/// The exact bodies of the wire contract for the answers of the control plane. Pure.
package enum ControlAnswers {
    /// The answer of `/health`.
    package static let health = json(200, #"{"status":"ok","service":"viberemote-gateway"}"#)

    /// Returns the answer to a start.
    package static func start(_ name: ProjectName, _ answer: StartAnswer) -> GatewayAnswer {
        switch answer {
        case .started(let address): started(name, port: address.port, status: "started")
        case .alreadyRunning(let address): started(name, port: address.port, status: "already_running")
        case .pending(let state): .detail(504, InstanceMessage.stillStarting(name.string, state))
        case .notFound: projectNotFound(name.string)
        case .failed(let sentence): .detail(500, sentence)
        }
    }

    /// Returns the answer to a stop.
    package static func stop(_ name: ProjectName, _ answer: StopAnswer) -> GatewayAnswer {
        switch answer {
        case .stopped: json(200, #"{"name":\#(JSONText.quoted(name.string)),"status":"stopped"}"#)
        case .notFound: projectNotFound(name.string)
        case .failed(let sentence): .detail(500, sentence)
        }
    }

    /// Returns the answer with a project's state; 404 for nil.
    package static func status(_ name: ProjectName, _ status: ProjectStatus?) -> GatewayAnswer {
        status.map { json(200, ProjectMember.object($0)) } ?? projectNotFound(name.string)
    }

    /// Returns the answer with the events in the life of a project's server.
    package static func history(_ name: ProjectName, _ answer: InstanceRegistry.HistoryAnswer) -> GatewayAnswer {
        switch answer {
        case .events(let events):
            let list = events.map(\.json).joined(separator: ",")
            return json(200, #"{"name":\#(JSONText.quoted(name.string)),"history":[\#(list)]}"#)
        case .notFound: return projectNotFound(name.string)
        case .unavailable(let sentence): return .detail(503, "The history of instances cannot be read: \(sentence)")
        }
    }

    /// Returns the answer with the list of projects.
    package static func projects(_ listing: ProjectListing) -> GatewayAnswer {
        switch listing {
        case .projects(let projects): json(200, "[\(projects.map(ProjectMember.object).joined(separator: ","))]")
        case .failed(let reason): .detail(500, "Failed to list projects: \(reason)")
        }
    }

    /// Returns the answer to a request whose project's instance has no port. `state` is nil if it was not requested.
    package static func notRunning(_ name: String, _ state: InstanceState?) -> GatewayAnswer {
        guard let state, state.isComing else { return .detail(503, InstanceMessage.notRunning(name)) }
        var answer = GatewayAnswer.detail(503, InstanceMessage.notReady(name, state))
        var seconds = 1
        if case .restarting(_, let delay?) = state { seconds = max(1, Int((delay / .seconds(1)).rounded(.up))) }
        answer.head.fields.append("Retry-After", "\(seconds)")
        return answer
    }

    /// Returns the answer to a request that a server other than the project's instance has answered.
    package static func portTaken(_ port: UInt16) -> GatewayAnswer {
        var answer = GatewayAnswer.detail(
            503,
            "Cannot connect to OpenCode instance on port \(port): another server has that port. Try again in a moment.")
        answer.head.fields.append("Retry-After", "1")
        return answer
    }

    /// Returns the answer to a request whose instance was ended before it answered.
    package static func ended(_ name: String, by ender: StopInitiator) -> GatewayAnswer {
        .detail(503, InstanceMessage.ended(name, by: ender))
    }

    /// The answer to a request that the shutdown of the gateway interrupts.
    package static let shuttingDown = GatewayAnswer.detail(503, "The gateway is shutting down. Try again in a moment.")

    /// Returns the answer to an interrupted request to a project's instance. `mayBeTaken` is whether the instance may
    /// have received the request and so must not receive it twice.
    package static func shuttingDown(before name: String, mayBeTaken: Bool) -> GatewayAnswer {
        guard mayBeTaken else { return shuttingDown }
        return .detail(
            503,
            "The gateway is shutting down, and OpenCode instance for \(name) has not answered yet. Check the session before you send the request again."
        )
    }

    /// The answer to an interrupted request that may be on its way to an instance, such as a message to a conversation.
    package static let shuttingDownInConversation = GatewayAnswer.detail(
        503,
        "The gateway is shutting down and has not answered yet. Check the conversation before you send the request again."
    )

    /// Returns the answer to a request for an unknown project.
    package static func projectNotFound(_ name: String) -> GatewayAnswer {
        .detail(404, InstanceMessage.projectNotFound(name))
    }

    private static func started(_ name: ProjectName, port: UInt16, status: String) -> GatewayAnswer {
        json(200, #"{"name":\#(JSONText.quoted(name.string)),"port":\#(port),"status":"\#(status)"}"#)
    }

    /// Returns an answer with this JSON.
    package static func json(_ status: Int, _ text: String) -> GatewayAnswer {
        var head = ResponseHead(status: status)
        head.fields.append("Content-Type", "application/json")
        return GatewayAnswer(head: head, body: Array(text.utf8))
    }
}
