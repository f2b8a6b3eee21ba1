import EventHub
internal import Projects

/// What a project's OpenCode says, in OpenCode 1's words, on its way from the hub to the conversations' thread. It lives on a
/// loop as long as that does.
final class ConversationFeed: EventReader, PendingStream {
    private static let portion = 256 * 1024

    let project: ProjectName?
    let isClient = false
    private let name: ProjectName
    private unowned let events: LoopEvents
    private let post: @Sendable (@escaping ConversationService.Work) -> Void
    private var cursor: EventCursor?
    private var number = 0
    private var isReading = false
    private var newsWaits = false
    /// The instance's run that is listened to, and whether one has ended since.
    private var run: UInt64?
    private var hasEnded = false

    init(
        _ events: LoopEvents, _ name: ProjectName,
        _ post: @escaping @Sendable (@escaping ConversationService.Work) -> Void
    ) {
        (self.events, self.name, project, self.post) = (events, name, name, post)
    }

    func begin() {
        events.add(self)
        events.mark(name, for: self) { [self] in start($0) }
    }

    private func start(_ place: LogPlace) {
        events.remove(self)
        var cursor = EventCursor(
            .now, now: place, project: name.string, shape: .item(name.string), isChunked: false,
            selector: EventSelector())
        cursor.speaksOne = true
        self.cursor = cursor
        number = events.begin(self)
        run = events.view(name)?.run
        let name = name
        post { $0.known(name)?.listens() }
        read()
    }

    private func read() {
        guard !isReading, let cursor else { return }
        isReading = true
        newsWaits = false
        events.read(cursor, number: number, name, connected: [], limit: Self.portion)
    }

    func hasNews() {
        let now = events.view(name)?.run
        if run != now {
            if run != nil { hasEnded = true }
            run = now
        }
        if isReading { newsWaits = true } else { read() }
    }

    func received(_ reading: Reading) {
        isReading = false
        var cursor = reading.cursor
        let lines = reading.passage.bytes
        cursor.sent(lines.count, of: reading.passage)
        self.cursor = cursor
        let name = name
        if !lines.isEmpty { post { $0.known(name)?.heard(lines) } }
        if newsWaits || !reading.passage.isAtEnd { return read() }
        // Behind its last word.
        if hasEnded {
            hasEnded = false
            post { $0.known(name)?.instanceEnded() }
        }
    }

    func viewChanged() {}
    func routesChanged() {}
    func giveUp() { events.remove(self) }
}
