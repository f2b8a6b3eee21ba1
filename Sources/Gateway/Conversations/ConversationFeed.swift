import EventHub
import EventLoop
internal import Projects

/// What a project's OpenCode says, in OpenCode 1's words, read by the conversations' thread as soon as the hub has it: no loop is
/// on its way.
final class ConversationFeed {
    private static let portion = 256 * 1024
    /// How much of the log is looked through for answers that are being written: some 50,000 pieces of text.
    private static let mostReplayed = 16 << 20
    /// An OpenCode 2 is asked about a session whose beginning the log does not have. It may not answer.
    private static let replayTimeout = Duration.seconds(10)

    private unowned let project: ConversationProject
    private let hub: ConversationHub
    private let name: ProjectName
    /// Nil until it is known from where on is listened.
    private var cursor: EventCursor?
    private var log: EventLog?
    private var isReading = false
    private var newsWaits = false
    /// The instance's run that is listened to, and whether one has ended since.
    private var run: UInt64?
    private var hasEnded = false
    /// Whether what is read was said before anybody listened.
    private var isReplaying = false

    init(_ project: ConversationProject, _ hub: ConversationHub) {
        (self.project, self.hub, name) = (project, hub, project.name)
    }

    func begin() {
        let (name, post) = (name, hub.post)
        hub.mailbox.post(.follow(name) { view, place in post { $0.known(name)?.feed?.hear(view, place) } })
    }

    /// The project's view is this one, and everything that it has said stands before the place.
    private func hear(_ view: HubSnapshot, _ place: LogPosition) {
        guard cursor != nil else { return start(view, place) }
        if run != view.run {
            if run != nil { hasEnded = true }
            run = view.run
        }
        read()
    }

    private func start(_ view: HubSnapshot, _ place: LogPosition) {
        // OpenCode since 1.2 does not store a text before it is complete: the log alone has what was said of it.
        let beginning = view.log.beginningOfOpenTurns(before: place, atMost: Self.mostReplayed)
        var cursor = EventCursor(
            .now, now: beginning ?? place, project: name.string, shape: .item(name.string), isChunked: false,
            selector: EventSelector())
        cursor.isOpenCode1Compatible = true
        (self.cursor, log, run) = (cursor, view.log, view.run)
        guard beginning != nil else { return project.listens() }
        isReplaying = true
        project.desk.later(Self.replayTimeout) { [weak self] in self?.endReplay() }
        read()
    }

    private func endReplay() {
        guard isReplaying else { return }
        isReplaying = false
        project.replayed()
    }

    private func read() {
        newsWaits = true
        while newsWaits, !isReading, let cursor {
            (isReading, newsWaits) = (true, false)
            let (name, post) = (name, hub.post)
            let order = ReadingOrder(stream: 0, log: log, cursor: cursor, connected: [], limit: Self.portion) { read in
                post { $0.known(name)?.feed?.received(read) }
            }
            if let reading = hub.reader.read(order) { take(reading) }
        }
    }

    /// What had to be asked for first.
    private func received(_ reading: Reading) {
        take(reading)
        if newsWaits { read() }
    }

    private func take(_ reading: Reading) {
        isReading = false
        var cursor = reading.cursor
        let lines = reading.passage.bytes
        cursor.sent(lines.count, of: reading.passage)
        self.cursor = cursor
        if !lines.isEmpty {
            if isReplaying { project.replay(lines) } else { project.heard(lines) }
        }
        newsWaits = newsWaits || !reading.passage.isAtEnd
        if reading.passage.isAtEnd { endReplay() }
        // Behind its last word.
        if hasEnded, !newsWaits {
            hasEnded = false
            project.instanceEnded()
        }
    }
}

/// The hub as the conversations' thread has it: it reads for itself what the hub says is there.
final class ConversationHub {
    let mailbox: Mailbox<HubMessage>
    let reader: EventLogReader
    let board: HubSnapshots
    /// The way back to the thread.
    let post: @Sendable (@escaping ConversationService.Work) -> Void

    init(
        _ mailbox: Mailbox<HubMessage>, _ board: HubSnapshots,
        _ post: @escaping @Sendable (@escaping ConversationService.Work) -> Void
    ) {
        (self.mailbox, self.board, self.post) = (mailbox, board, post)
        reader = EventLogReader(board, hub: mailbox)
        reader.post = { log, question, answer in post { $0.hub?.reader.answered(log, question, answer) } }
    }
}
