internal import Projects

/// Events that wait for their turn: what an event makes happen at once, such as the outcome of a start, comes after
/// everything that the event itself leads to.
struct Inbox {
    /// What happened to one project's instance.
    enum Item {
        case event(InstanceStateMachine.Event)
        case supervised(SupervisedEvent)
    }

    private var items: [(ProjectName, Item)] = []
    private var isBeingEmptied = false

    /// Adds an item; true when the caller is to empty the inbox, false when somebody does already.
    mutating func add(_ item: Item, of name: ProjectName) -> Bool {
        items.append((name, item))
        defer { isBeingEmptied = true }
        return !isBeingEmptied
    }

    /// The next item in the order in which they came; nil ends the emptying.
    mutating func next() -> (ProjectName, Item)? {
        guard !items.isEmpty else {
            isBeingEmptied = false
            return nil
        }
        return items.removeFirst()
    }
}
