// SPDX-License-Identifier: Apache-2.0

extension EventLog {
    /// Returns the event with this id; nil if the log does not contain it.
    ///
    /// - Parameter position: The position after the event that the previous call returned, which is usually directly
    ///   before the requested event. The method changes the position to the position after the returned event.
    func event(_ id: EventID, _ position: inout LogPosition?) -> StoredEvent? {
        if var near = position, case .event(let event)? = next(&near, atMost: 1).first, event.id == id {
            position = event.after
            return event
        }
        guard var found = self.position(before: id), case .event(let event)? = next(&found, atMost: 1).first,
            event.id == id
        else { return nil }
        position = event.after
        return event
    }
}
