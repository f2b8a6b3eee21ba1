/// What clients are to be sent while changes that precede it are not committed yet, in order: an answer says that a change
/// outlasts the gateway.
struct CommitQueue {
    private var last = 0
    private var committed = 0
    private var lastAtTick = 0
    private var waiting: [(commit: Int, send: () -> Void)] = []

    /// Begins to wait for a commit. Returns its number for ``committed(_:)``.
    mutating func begin() -> Int {
        last += 1
        return last
    }

    /// Sends at once where nothing is awaited, else after the last commit that is.
    mutating func add(_ send: @escaping () -> Void) {
        if committed == last { send() } else { waiting.append((last, send)) }
    }

    /// A commit is done, or can't be, and with it all before. Sends what waited for it.
    mutating func committed(_ commit: Int) {
        committed = max(committed, commit)
        let ready = waiting.prefix { $0.commit <= committed }
        waiting.removeFirst(ready.count)
        for item in ready { item.send() }
    }

    /// Sends what has waited since the tick before the last one: a disk that does not answer holds up nobody for good.
    mutating func tick() {
        committed(lastAtTick)
        lastAtTick = last
    }
}
