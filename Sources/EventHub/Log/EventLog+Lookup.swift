extension EventLog {
    /// The event with this id; nil: it is not kept. `place` is where the last one was found that was looked for, which mostly
    /// stands before this one.
    func event(_ id: EventID, _ place: inout LogPosition?) -> StoredEvent? {
        if var near = place, case .event(let event)? = next(&near, atMost: 1).first, event.id == id {
            place = event.behind
            return event
        }
        guard var found = self.place(before: id), case .event(let event)? = next(&found, atMost: 1).first,
            event.id == id
        else { return nil }
        place = event.behind
        return event
    }
}
