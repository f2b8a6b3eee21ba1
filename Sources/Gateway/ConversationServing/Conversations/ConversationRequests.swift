// SPDX-License-Identifier: Apache-2.0

import Conversations
import Encodings
import GatewayCore
import HTTPServer
import HTTPTypes
internal import Projects
import Proxying

/// Handles the requests of the conversation protocol.
extension ConversationService {
    /// Returns the response to a request for the path with these segments.
    func answer(
        _ method: String, _ path: [String], to request: ControlRequest, with control: any ProjectControl
    ) async -> ControlResponse {
        let names = ["limit", "cursor", "search"]
        let query = names.compactMap { name in request.query[name].map { (name: name, value: $0) } }
        let conversationRequest = ConversationRequest(method, path, query: query, body: request.body)
        switch await choose(request.query["project"], for: request.principal, control) {
        case .unknown(let name): return .answer(GatewayAnswer(ConversationAnswer(404, "Project not found: \(name)")))
        case .unspecified(let sentence):
            return .answer(GatewayAnswer(ConversationAnswer(ConversationError(.noProject, sentence))))
        case .project(let name):
            let initiator = RequestInitiator(method, by: request.principal, at: request.client)
            let project = await project(name)
            let task = Task(executorPreference: project.executor) {
                await project.handle(conversationRequest, for: initiator)
            }
            return await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Returns the conversations of a project.
    private func project(_ name: ProjectName) async -> ConversationProject {
        // If the thread has ended, the work never runs. In that case, no loop waits for the response either.
        await withUnsafeContinuation { continuation in
            post { continuation.resume(returning: $0.project(name)) }
        }
    }
}

extension GatewayAnswer {
    /// Creates a response from a response of the conversation protocol.
    init(_ answer: ConversationAnswer) {
        var head = ResponseHead(status: answer.status)
        if !answer.body.isEmpty { head.fields.append("Content-Type", "application/json") }
        for (name, value) in answer.fields { head.fields.append(name, value) }
        self.init(head: head, body: answer.body)
    }
}
