// SPDX-License-Identifier: Apache-2.0

package import Access
import Addresses
package import HTTPServer
import HTTPTypes
package import Instances
import JSONText
package import Projects

/// The responses of the control plane, with the exact bodies that the wire contract defines.
package enum ControlAnswers {
    /// The response of `/health`.
    package static let health = json(200, #"{"status":"ok","service":"viberemote-gateway"}"#)

    /// Returns the response to a start request.
    package static func start(_ name: ProjectName, _ answer: StartAnswer) -> ControlResponse {
        switch answer {
        case .started(let address): .answer(started(name, port: address.port, status: "started"))
        case .alreadyRunning(let address): .answer(started(name, port: address.port, status: "already_running"))
        case .pending(let state): .error(GatewayError(504, InstanceMessage.stillStarting(name.string, state)))
        case .notFound: .error(projectNotFound(name.string))
        case .failed(let sentence): .error(GatewayError(500, sentence))
        }
    }

    /// Returns the response to a stop request.
    package static func stop(_ name: ProjectName, _ answer: StopAnswer) -> ControlResponse {
        switch answer {
        case .stopped: .answer(json(200, #"{"name":\#(JSONText.quoted(name.string)),"status":"stopped"}"#))
        case .notFound: .error(projectNotFound(name.string))
        case .failed(let sentence): .error(GatewayError(500, sentence))
        }
    }

    /// Returns the response with a project's state, or 404 if `status` is nil.
    package static func status(_ name: ProjectName, _ status: ProjectStatus?) -> ControlResponse {
        status.map { .answer(json(200, ProjectMember.object($0))) } ?? .error(projectNotFound(name.string))
    }

    /// Returns the response with the history of a project's server.
    package static func history(_ name: ProjectName, _ answer: InstanceRegistry.HistoryAnswer) -> ControlResponse {
        switch answer {
        case .events(let events):
            let list = events.map(\.json).joined(separator: ",")
            return .answer(json(200, #"{"name":\#(JSONText.quoted(name.string)),"history":[\#(list)]}"#))
        case .notFound: return .error(projectNotFound(name.string))
        case .unavailable(let sentence):
            return .error(GatewayError(503, "The history of instances cannot be read: \(sentence)"))
        }
    }

    /// Returns the response with the list of projects.
    ///
    /// - Parameter principal: The list contains only the projects that this principal can open.
    package static func projects(_ listing: ProjectListing, for principal: Principal? = nil) -> ControlResponse {
        switch listing {
        case .projects(let projects):
            .answer(
                json(
                    200,
                    "[\(projects.filter { principal.canOpen($0.folder.name) }.map(ProjectMember.object).joined(separator: ","))]"
                ))
        case .failed(let reason): .error(GatewayError(500, "Failed to list projects: \(reason)"))
        }
    }

    /// Returns the error for a request to a project whose instance accepts no requests.
    ///
    /// - Parameter state: The state of the instance; nil if it is not known.
    package static func notRunning(_ name: String, _ state: InstanceState?) -> GatewayError {
        guard let state, state.isComing else { return GatewayError(503, InstanceMessage.notRunning(name)) }
        var seconds = 1
        if case .restarting(_, let delay?) = state { seconds = max(1, Int((delay / .seconds(1)).rounded(.up))) }
        return GatewayError(503, InstanceMessage.notReady(name, state), fields: ["Retry-After": "\(seconds)"])
    }

    /// Returns the error for a request to which a server other than the project's instance responded.
    package static func portTaken(_ port: UInt16) -> GatewayError {
        GatewayError(
            503,
            "Cannot connect to OpenCode instance on port \(port): another server uses that port. Try again in a moment.",
            fields: ["Retry-After": "1"])
    }

    /// Returns the error for a request whose instance was stopped before it responded.
    package static func ended(_ name: String, by initiator: StopInitiator) -> GatewayError {
        GatewayError(503, InstanceMessage.ended(name, by: initiator))
    }

    /// The error for a request that the gateway's shutdown interrupts.
    package static let shuttingDown = GatewayError(503, "The gateway is shutting down. Try again in a moment.")

    /// Returns the error for an interrupted request to a project's instance.
    ///
    /// - Parameter mayBeReceived: Whether the instance may have received the request. The client must then check the
    ///   session before it repeats the request.
    package static func shuttingDown(before name: String, mayBeReceived: Bool) -> GatewayError {
        guard mayBeReceived else { return shuttingDown }
        return GatewayError(
            503,
            "The gateway is shutting down, and OpenCode instance for \(name) has not responded yet. Check the session before you send the request again."
        )
    }

    /// The error for an interrupted request that may have been sent to an instance, such as a
    /// message to a conversation.
    package static let shuttingDownInConversation = GatewayError(
        503,
        "The gateway is shutting down and has not responded yet. Check the conversation before you send the request again."
    )

    /// Returns the error for a request to an unknown project.
    package static func projectNotFound(_ name: String) -> GatewayError {
        GatewayError(404, InstanceMessage.projectNotFound(name))
    }

    private static func started(_ name: ProjectName, port: UInt16, status: String) -> GatewayAnswer {
        json(200, #"{"name":\#(JSONText.quoted(name.string)),"port":\#(port),"status":"\#(status)"}"#)
    }

    /// Returns a response with this JSON.
    package static func json(_ status: Int, _ text: String) -> GatewayAnswer {
        var head = ResponseHead(status: status)
        head.fields.append("Content-Type", "application/json")
        return GatewayAnswer(head: head, body: Array(text.utf8))
    }
}

extension Principal? {
    /// Returns whether a request of this principal can open a project. A request without a key can open all projects.
    package func canOpen(_ project: ProjectName) -> Bool { self?.rights.includes(project: project.string) ?? true }
}
