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
        switch await choose(request.query["project"], control) {
        case .unknown(let name): return .answer(GatewayAnswer(ConversationAnswer(404, "Project not found: \(name)")))
        case .unspecified(let sentence):
            return .answer(GatewayAnswer(ConversationAnswer(ConversationError(.noProject, sentence))))
        case .project(let name):
            let initiator = RequestInitiator(method, by: request.principal)
            return await withCheckedContinuation { continuation in
                post { $0.request(conversationRequest, project: name, for: initiator, answer: continuation) }
            }
        }
    }
}

extension ConversationCoordinator {
    /// Processes a request, and resumes `answer` once with the response.
    func request(
        _ request: ConversationRequest, project name: ProjectName, for initiator: RequestInitiator,
        answer: CheckedContinuation<ControlResponse, Never>
    ) {
        let project = project(name)
        project.whenReady { [self] in
            var work = ConversationWork(request, at: now, random: ConversationChat.random)
            let step = work.start(in: project.state)
            perform(step, of: work, in: project, for: initiator, answer: answer)
        }
    }

    private func perform(
        _ step: ConversationWork.Step, of work: ConversationWork, in project: ConversationProject,
        for initiator: RequestInitiator,
        answer: CheckedContinuation<ControlResponse, Never>
    ) {
        switch step {
        case .run(let plan):
            project.run(plan, for: initiator) { [self] result in
                let step = work.finished(result, in: &project.state, at: now)
                project.saveBeforeSending()
                perform(step, of: work, in: project, for: initiator, answer: answer)
            }
        case .answer(let whole, let events):
            project.publish(events)
            project.send { answer.resume(returning: .answer(GatewayAnswer(whole))) }
        case .stream(let stream, let prompt, let otherEvents):
            project.publish(otherEvents)
            let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            let number = number()
            let answerStream = ConversationStream(project, number: number, stream, chunks: continuation)
            project.streams[number] = answerStream
            let name = project.name
            let post = post
            // This is also called if the client disconnects before it receives the first bytes.
            continuation.onTermination = { _ in post? { $0.known(name)?.streams[number] = nil } }
            let head = response(chunks)
            project.send { answer.resume(returning: head) }
            project.call(prompt, for: initiator) { answerStream.prompted($0) }
        }
    }

    /// Returns the response with the event stream of an answer. If a client closes the stream, the answer continues.
    /// The stream is not paced, because `chunks` would otherwise buffer the bytes for a client that does not read,
    /// without a limit.
    private func response(_ chunks: AsyncStream<[UInt8]>) -> ControlResponse {
        var head = ResponseHead(status: 200)
        head.fields.append("Content-Type", "text/event-stream")
        head.fields.appendStreamDirectives()
        return .stream(head, isPaced: false) { stream in
            for await chunk in chunks { guard await stream.write(chunk) else { break } }
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
