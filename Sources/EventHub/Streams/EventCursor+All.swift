extension EventCursor {
    /// As ``read(_:atMost:connected:)``, of all projects' events in the order of the index; `log`: a project's.
    package mutating func readAll(_ index: EventIndex, atMost limit: Int, log: (String) -> EventLog?) -> EventPassage {
        switch start {
        case .now: break
        case .behind(let id): take(index.place(behind: id))
        case .time(let time): take(index.place(since: time))
        case .unknown: gap = EventGap(.unknownID, from: nil, to: nil)
        }
        start = .now
        var writer = FrameWriter(shape, isChunked: isChunked)
        var passage = EventPassage()
        if case .bytes(let bytes) = remainder {
            writer.writeRaw(bytes)
            passage.note(bytes.count, position, nil)
        }
        if let gap {
            writer.write(gap, project: nil, connected: [])
            passage.note(writer.bytes.count, position, nil)
        }
        var place = position
        var places: [String: LogPlace] = [:]
        while writer.bytes.count < limit {
            let steps = index.steps(&place, atMost: 4_096)
            guard !steps.isEmpty else {
                passage.isAtEnd = true
                break
            }
            for step in steps {
                write(step.item, &writer, &places, log)
                passage.note(writer.bytes.count, step.behind, nil, isMadeAgain: true)
            }
        }
        passage.end = place
        passage.bytes = writer.bytes
        if case .again(let sent, let size) = remainder { passage.dropSent(sent, size: size) }
        return passage
    }

    private mutating func write(
        _ item: EventIndex.Item, _ writer: inout FrameWriter, _ places: inout [String: LogPlace],
        _ log: (String) -> EventLog?
    ) {
        switch item {
        case .gap(let gap): writer.write(gap, project: nil, connected: [])
        case .projectGap(let id, _, let json):
            guard selector.takesAll || selector.sessions == nil else { return }
            writer.write(gap: json, id: id)
        case .entry(let entry):
            guard let log = log(entry.project), let event = log.event(entry.event, &places[entry.project]),
                selector.admits(event)
            else { return }
            writer.write(event, id: entry.id, project: entry.project)
        }
    }
}
