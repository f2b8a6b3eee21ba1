// SPDX-License-Identifier: Apache-2.0

import Access
import Conversations
import EventLoop
import EventStreaming
import GatewayCore
internal import Instances
import Logging
internal import Projects
import WebSockets

/// The conversations of all projects, with the clients of the two protocols. The object is confined to
/// the thread of ``ConversationService``.
final class ConversationCoordinator {
    /// The interval of the check for silent streams and for answers without events.
    private static let tick = Duration.seconds(5)

    /// The client of a chat.
    private enum ChatClient {
        case project(ConversationProject)
        /// The client has no project, for this reason.
        case refused(ConversationError, ChatLine)
    }

    /// A chat whose project is still being determined.
    private struct EarlyChat {
        var messages: [[UInt8]] = []
        var hasEnded = false
        var isRevoked = false
    }

    private let context: ConversationProject.Context
    /// The mailboxes of the loops, which send the requests to OpenCode.
    var loops: [Mailbox<LoopMessage>] = [] {
        didSet { for project in projects.values { project.assumeIsolated { [loops] in $0.loops = loops } } }
    }
    /// The mailbox of the hub, which sends the projects' snapshots and answers queries.
    var hub: Mailbox<HubMessage>?
    /// The routes to the projects' instances.
    private var routes = RoutingTable.empty
    private var projects: [ProjectName: ConversationProject] = [:]
    private var chats: [Int: ChatClient] = [:]
    private var earlyChats: [Int: EarlyChat] = [:]

    init(_ context: ConversationProject.Context) { self.context = context }

    /// Starts the periodic check. Called when the thread starts.
    func start() {
        let post = context.post
        context.executor.call(after: Self.tick) { post { $0.check() } }
    }

    private func check() {
        for project in projects.values { project.assumeIsolated { $0.tick() } }
        start()
    }

    /// Ends all tasks, because the thread is about to end.
    func end() {
        for project in projects.values { project.assumeIsolated { $0.end() } }
    }

    func project(_ name: ProjectName) -> ConversationProject {
        if let known = projects[name] { return known }
        let project = ConversationProject(name, context, loops: loops, routes: routes)
        projects[name] = project
        project.assumeIsolated { [hub] in $0.start(hub) }
        return project
    }

    func known(_ name: ProjectName) -> ConversationProject? { projects[name] }

    /// Sets a new routing table. Each loop receives the table before the requests that this thread sends
    /// to the loop afterwards.
    func follow(_ table: RoutingTable) {
        routes = table
        for project in projects.values { project.assumeIsolated { $0.follow(table) } }
    }

    // MARK: Chats

    /// Opens a chat. If `project` is nil, first asks the control plane whether there is exactly one project.
    func opened(
        _ number: Int, on line: ChatLine, by initiator: RequestInitiator, project: ProjectName?,
        refusal: ConversationError?
    ) {
        if let project { return open(number, on: line, by: initiator, project: project, refusal: refusal) }
        earlyChats[number] = EarlyChat()
        let context = context
        Task {
            var only: ProjectName?
            if case .projects(let projects) = await context.control.projects(), projects.count == 1 {
                only = projects[0].folder.name
            }
            let found = only
            context.post { $0.open(number, on: line, by: initiator, project: found, refusal: refusal) }
        }
    }

    private func open(
        _ number: Int, on line: ChatLine, by initiator: RequestInitiator, project: ProjectName?,
        refusal: ConversationError?
    ) {
        let early = earlyChats.removeValue(forKey: number)
        if let name = project {
            let project = self.project(name)
            chats[number] = .project(project)
            project.assumeIsolated { $0.open(number, on: line, for: initiator) }
        } else if let refusal {
            chats[number] = .refused(refusal, line)
            line.send([
                .text(ChatReply.status(nil, version: context.setUp.version)), .text(ChatReply.error(refusal)),
            ])
        }
        guard let early else { return }
        for text in early.messages { received(number, text) }
        if early.isRevoked { revoked(number) }
        if early.hasEnded { ended(number) }
    }

    func received(_ number: Int, _ text: [UInt8]) {
        if earlyChats[number]?.isRevoked == false { earlyChats[number]?.messages.append(text) }
        switch chats[number] {
        case .project(let project): project.assumeIsolated { $0.receive(text, from: number) }
        case .refused(let refusal, let line): line.send([.text(ChatReply.answer(to: text, refusal: refusal))])
        case nil: break
        }
    }

    func revoked(_ number: Int) {
        earlyChats[number]?.messages = []
        earlyChats[number]?.isRevoked = true
        if case .project(let project) = chats[number] { project.assumeIsolated { $0.revoke(number) } }
    }

    func ended(_ number: Int) {
        earlyChats[number]?.hasEnded = true
        if case .project(let project) = chats.removeValue(forKey: number) {
            project.assumeIsolated { $0.close(number) }
        }
    }
}
