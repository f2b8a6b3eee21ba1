// SPDX-License-Identifier: Apache-2.0

internal import Access
internal import Addresses
package import Audit
package import Conversations
package import EventLoop
package import EventStreaming
package import GatewayCore
internal import HTTPServer
package import Instances
import Locking
package import Logging
package import Projects

/// The settings of the chat and conversation protocols.
package struct ConversationSetUp: Sendable {
    /// The project for clients that do not name a project; nil to select the only project.
    package var project: String?
    /// The folder whose sub-folders are the projects.
    package var home: String
    /// The store for pins, counts and ids, which preserves these values when the gateway ends; nil to store nothing.
    package var store: (any ConversationKeeping)?
    /// The gateway's version, which the gateway sends to chat clients.
    package var version: String
    /// The audit log; nil if actions are not recorded.
    package var audit: (any AuditRecorder)?

    /// Creates the settings.
    ///
    /// - Parameter home: The folder whose sub-folders are the projects.
    package init(project: String?, home: String, store: (any ConversationKeeping)?, version: String) {
        self.project = project
        self.home = home
        self.store = store
        self.version = version
    }
}

/// The service for the chat and conversation protocols. One thread parses and writes all JSON of these protocols. The
/// loops pass the clients' messages to this thread, and send the messages that the thread returns.
package final class ConversationService: Sendable {
    typealias Work = @Sendable (ConversationCoordinator) -> Void

    private enum Message: Sendable {
        case work(Work)
        case stop
    }

    /// The receiver of the mailbox's work.
    private final class Receiver {
        var coordinator: ConversationCoordinator?
    }

    private struct Handover: @unchecked Sendable {  // The thread receives this value only once, when it starts.
        let loop: EventLoop
        let coordinator: ConversationCoordinator
    }

    let setUp: ConversationSetUp
    private let mailbox: Mailbox<Message>
    private let thread: WorkerThread
    private let count = Locked(0)
    private let routes = Locked<RoutingTable>(.empty)

    /// Starts the thread.
    ///
    /// - Parameter control: Starts projects.
    package init(_ setUp: ConversationSetUp, control: any ProjectControl, log: Logger) throws {
        self.setUp = setUp
        let loop = try EventLoop()
        let executor = try LoopExecutor(loop)
        let receiver = Receiver()
        let mailbox = try loop.mailbox { [unowned loop] (message: Message) in
            switch message {
            case .work(let work): if let coordinator = receiver.coordinator { work(coordinator) }
            case .stop:
                receiver.coordinator?.end()
                receiver.coordinator = nil
                loop.stop()
            }
            // Run the tasks that the message has started or resumed before the next message changes the state.
            executor.runJobs()
        }
        self.mailbox = mailbox
        let coordinator = ConversationCoordinator(
            ConversationProject.Context(
                setUp: setUp, executor: executor, control: control, log: log, post: { mailbox.post(.work($0)) }))
        receiver.coordinator = coordinator
        let handover = Handover(loop: loop, coordinator: coordinator)
        thread = try WorkerThread(name: "conversations") {
            executor.useCurrentThread()
            handover.coordinator.start()
            do {
                try handover.loop.run()
            } catch {
                log.error("the conversations thread has failed", LogField("reason", "\(error)"))
                handover.coordinator.end()
                executor.runJobs()
            }
            handover.loop.releaseHandlers()
        }
    }

    /// Runs work on the thread, after all work that was posted earlier.
    func post(_ work: @escaping Work) { mailbox.post(.work(work)) }

    /// Sets the loops that send requests to OpenCode, and the hub that provides OpenCode's events.
    package func follow(_ loops: [Mailbox<LoopMessage>], hub: Mailbox<HubMessage>) {
        post { coordinator in
            coordinator.loops = loops
            coordinator.hub = hub
        }
    }

    /// Sets a new routing table. The loops must already have received it, because the service's thread sends requests
    /// for the table's routes to the loops.
    package func follow(_ table: RoutingTable) {
        routes.withLock { $0 = table }
        post { $0.follow(table) }
    }

    /// Records that a client of OpenCode is about to abort the work of a session.
    @Sendable package func expectAbort(_ project: ProjectName, of session: String) {
        post { $0.known(project)?.assumeIsolated { $0.expectAbort(of: session) } }
    }

    /// Stops the service's thread. Do not call this method on that thread.
    package func stop() {
        mailbox.post(.stop)
        thread.join()
    }

    // MARK: Projects

    /// The project that a client's request selects.
    enum Choice: Sendable {
        case project(ProjectName)
        /// No project has this name.
        case unknown(String)
        /// The client must name a project. The value is the reason.
        case unspecified(String)
    }

    /// Returns the project that a request names, otherwise the only project that its key can open, otherwise the
    /// project in the settings.
    private func wanted(_ named: String?, for principal: Principal?) -> String? {
        if let named, !named.isEmpty { return named }
        guard let projects = principal?.rights.projects else { return setUp.project }
        return projects.count == 1 ? projects.first : setUp.project
    }

    /// Chooses the project that the parameter `project` of a request names, otherwise the only project that its key can
    /// open, otherwise the project in the settings, otherwise the only project. A project that the key cannot open is
    /// unknown.
    func choose(_ named: String?, for principal: Principal?, _ table: RoutingTable? = nil) -> Choice {
        let table = table ?? routes.withLock { $0 }
        if let named = wanted(named, for: principal) {
            guard let name = ProjectName(named), principal.canOpen(name), table.mayBeProject(name) else {
                return .unknown(named)
            }
            return .project(name)
        }
        if let only = table.onlyProject, principal.canOpen(only) { return .project(only) }
        return .unspecified(
            "The request names no project, and the gateway chooses one only if it serves exactly one. Add ?project=NAME, or "
                + "set --chat-project."
        )
    }

    /// Chooses as ``choose(_:for:_:)`` does, but uses the folders on disk, because the routing table may not contain
    /// a new project yet.
    func choose(_ named: String?, for principal: Principal?, _ control: any ProjectControl) async -> Choice {
        let choice = choose(named, for: principal)
        if case .project = choice { return choice }
        if let named = wanted(named, for: principal) {
            // Use the status, which is read from the disk. The list of projects comes from memory and follows the disk
            // with a short delay (inotify(7)).
            guard let name = ProjectName(named), principal.canOpen(name), await control.status(name) != nil else {
                return .unknown(named)
            }
            return .project(name)
        }
        guard case .projects(let projects) = await control.projects(), projects.count == 1, let only = projects.first,
            principal.canOpen(only.folder.name)
        else { return choice }
        return .project(only.folder.name)
    }

    // MARK: Chats

    /// The handler of chat sockets.
    package var chat: ChatSetUp {
        ChatSetUp { opening in
            let named = opening.query["project"]
            let principal = opening.principal
            let choice = self.choose(named, for: principal, opening.routes)
            if case .project = choice { return self.decide(choice, opening) }
            return .deferred { control in
                let choice = await self.choose(named, for: principal, control)
                return { self.decide(choice, $0) }
            }
        }
    }

    private func decide(_ choice: Choice, _ opening: ChatOpening) -> ChatDecision {
        switch choice {
        case .project(let name): .accepted(delegate(for: opening, project: name, refusal: nil))
        case .unknown(let name): .refused(ControlAnswers.projectNotFound(name))
        case .unspecified(let sentence):
            .accepted(delegate(for: opening, project: nil, refusal: ConversationError(.noProject, sentence)))
        }
    }

    private func delegate(for opening: ChatOpening, project: ProjectName?, refusal: ConversationError?)
        -> ConversationChatDelegate
    {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return ConversationChatDelegate(self, number: number, opening, project: project, refusal: refusal)
    }
}

/// A chat client on its loop. The delegate passes the client's messages to the service.
final class ConversationChatDelegate: ChatDelegate {
    private let service: ConversationService
    private let number: Int
    private let line: ChatLine
    private let principal: Principal?
    private let client: IPAddress?
    private let project: ProjectName?
    private let refusal: ConversationError?

    init(
        _ service: ConversationService, number: Int, _ opening: ChatOpening, project: ProjectName?,
        refusal: ConversationError?
    ) {
        self.service = service
        self.number = number
        line = opening.line
        principal = opening.principal
        client = opening.client
        self.project = project
        self.refusal = refusal
    }

    func opened(_ socket: ChatSocket) {
        let number = number
        let line = line
        let initiator = RequestInitiator.client(principal, address: client)
        let project = project
        let refusal = refusal
        service.post { $0.opened(number, on: line, by: initiator, project: project, refusal: refusal) }
    }

    func received(text: [UInt8], on socket: ChatSocket) {
        let number = number
        service.post { $0.received(number, text) }
    }

    func revoked() {
        let number = number
        service.post { $0.revoked(number) }
    }

    func ended() {
        let number = number
        service.post { $0.ended(number) }
    }
}
