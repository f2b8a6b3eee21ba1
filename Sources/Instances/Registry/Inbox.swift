internal import Projects

/// Events that wait for their turn: what an event makes happen at once, such as the outcome of a start, comes after
/// everything that the event itself leads to.
struct Inbox {
    /// What happened to one project's instance.
    struct Item {
        let project: ProjectName
        let event: InstanceStateMachine.Event
        /// The supervisor that tells of it; nil for what comes from elsewhere.
        let supervisor: String?
    }

    private var items: [Item] = []
    private var isBeingEmptied = false

    /// Adds an item; true when the caller is to empty the inbox, false when somebody does already.
    mutating func add(_ item: Item) -> Bool {
        items.append(item)
        defer { isBeingEmptied = true }
        return !isBeingEmptied
    }

    /// The next item in the order in which they came; nil ends the emptying.
    mutating func next() -> Item? {
        guard !items.isEmpty else {
            isBeingEmptied = false
            return nil
        }
        return items.removeFirst()
    }
}
