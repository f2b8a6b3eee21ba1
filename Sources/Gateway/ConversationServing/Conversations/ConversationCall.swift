// SPDX-License-Identifier: Apache-2.0

import Access
import Conversations
import Dialects
import EventLoop
import EventStreaming
import GatewayCore
import HTTPServer
import HTTPTypes
internal import Instances
import JSONText
import OpenCode1Compatibility
import OpenCodeFamilies
internal import Projects

/// One request to a project's OpenCode. If OpenCode is not running, a client's request starts it.
final class ConversationCall {
    /// The number of retries after a start, because the loops may learn of a ready instance a moment after its start
    /// was answered.
    private static let tries = 20
    private static let pause = Duration.milliseconds(50)
    /// The number of checks whether the hub is subscribed to an instance, 10 s in total. Events that a prompt causes
    /// before the subscription are missed. After the last check the request is sent even if the events are not
    /// available; ``ConversationState/check(_:)`` then finds the answers.
    private static let mostUnheard = 200

    private let project: ConversationProject
    private let request: ClientRequest
    private let asker: RequestInitiator
    private var hasStarted = false
    private var triesLeft = 0
    private var unheardLeft: Int
    private var answered: ((OpenCodeAnswer) -> Void)?
    private var timer: LoopTimer?

    init(
        _ project: ConversationProject, _ request: ClientRequest, for asker: RequestInitiator,
        answered: @escaping (OpenCodeAnswer) -> Void
    ) {
        self.project = project
        self.request = request
        self.asker = asker
        self.answered = answered
        // A request that only reads causes no events.
        unheardLeft = request.method == "GET" ? 0 : Self.mostUnheard
    }

    func ask() {
        guard let post = project.coordinator.post, let loop = project.coordinator.loops.first else { return }
        let name = project.name
        let request = request
        let board = unheardLeft > 0 ? project.coordinator.hub?.board : nil
        // The registered handler keeps this object alive.
        let number = project.coordinator.wait { [self] in finish($0) }
        loop.post(
            .request { Self.ask($0, request: request, project: name, snapshots: board, number: number, post: post) })
    }

    private static let notRunning = 0
    private static let notHeard = -1

    /// Sends the request on the loop. With `board`, the request waits until the hub is subscribed to the instance; with
    /// nil, it is sent in any case.
    private static func ask(
        _ loop: GatewayLoop, request: ClientRequest, project name: ProjectName, snapshots board: HubSnapshots?,
        number: Int,
        post: @escaping @Sendable (@escaping ConversationService.Work) -> Void
    ) {
        guard let route = loop.snapshot.routes.route(to: name), route.isReachable,
            let bridge = loop.feature(LoopBridge.self)
        else {
            return post { $0.answered(number, OpenCodeAnswer(notRunning, [])) }
        }
        if let board, board.view(name)?.hears(route) != true {
            return post { $0.answered(number, OpenCodeAnswer(notHeard, [])) }
        }
        var request = request
        if let scope = route.scope { request.directory = String(decoding: scope.workingDirectory, as: UTF8.self) }
        _ = bridge.ask(request, of: route, loop.snapshot.policy) { outcome in
            let answer =
                switch outcome {
                case .answered(let status, let fields, let body):
                    OpenCodeAnswer(status, nextCursor: fields["X-Next-Cursor"], body)
                case .failed(let answer):
                    OpenCodeAnswer(answer.head.status, Self.sentence(answer))
                }
            post { $0.answered(number, answer) }
        }
    }

    /// Returns the gateway's error sentence in OpenCode's form.
    private static func sentence(_ answer: GatewayAnswer) -> [UInt8] {
        let json: JSON = ["message": JSONParser.parse(answer.body)?["detail"]]
        return json.bytes
    }

    private func finish(_ answer: OpenCodeAnswer) {
        if answer.status == Self.notHeard {
            unheardLeft -= 1
            return askLater()
        }
        guard answer.status == Self.notRunning else { return end(answer) }
        if triesLeft > 0 {
            triesLeft -= 1
            return askLater()
        }
        guard case .client(let principal) = asker, !hasStarted else {
            return fail(InstanceMessage.notRunning(project.name.string))
        }
        hasStarted = true
        start(for: principal)
    }

    private func askLater() {
        let timer = timer ?? project.coordinator.loop.timer(self)
        self.timer = timer
        // The timer does not retain its handler.
        project.coordinator.keep(self)
        project.coordinator.loop.arm(timer, after: Self.pause)
    }

    private func start(for principal: Principal?) {
        guard let post = project.coordinator.post else { return }
        let name = project.name
        let control = project.coordinator.control
        project.coordinator.keep(self)
        let key = ObjectIdentifier(self)
        Task {
            let answer = await control.start(name, for: principal)
            post { $0.kept(key)?.started(answer) }
        }
    }

    private func started(_ answer: StartAnswer) {
        project.coordinator.letGo(self)
        switch answer {
        case .started, .alreadyRunning:
            triesLeft = Self.tries
            ask()
        case .pending(let state): fail(InstanceMessage.stillStarting(project.name.string, state))
        case .notFound: fail(InstanceMessage.projectNotFound(project.name.string))
        case .failed(let sentence): fail(sentence)
        }
    }

    private func fail(_ sentence: String) {
        let json: JSON = ["message": .string(sentence)]
        end(OpenCodeAnswer(503, json.bytes))
    }

    private func end(_ answer: OpenCodeAnswer) {
        if let timer { project.coordinator.loop.cancel(timer) }
        timer = nil
        let answered = answered
        self.answered = nil
        answered?(answer)
    }
}

extension ConversationCall: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        project.coordinator.letGo(self)
        ask()
    }
}
