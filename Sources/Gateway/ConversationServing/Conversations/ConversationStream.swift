// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import GatewayCore
import HTTPTypes

/// The event stream of an answer, as the conversations' thread sends it.
final class ConversationStream {
    private unowned let project: ConversationProject
    private let number: Int
    private var stream: AnswerStream
    private let chunks: AsyncStream<[UInt8]>.Continuation

    init(
        _ project: ConversationProject, number: Int, _ stream: AnswerStream,
        chunks: AsyncStream<[UInt8]>.Continuation
    ) {
        self.project = project
        self.number = number
        self.stream = stream
        self.chunks = chunks
    }

    func receive(_ event: ConversationEvent, at now: Int64) { perform(stream.receive(event, at: now)) }

    func wake(at now: Int64) { perform(stream.wake(at: now)) }

    /// Processes OpenCode's response to the prompt.
    func prompted(_ answer: OpenCodeAnswer) {
        let actions = ConversationWork.prompted(answer, &stream, in: &project.state, at: project.coordinator.now)
        project.save()
        perform(actions)
    }

    private func perform(_ actions: [AnswerStream.Action]) {
        let chunks = chunks
        for action in actions {
            switch action {
            case .write(let bytes): project.send { chunks.yield(bytes) }
            case .end:
                project.send { chunks.finish() }
                project.streams[number] = nil
            }
        }
    }
}
