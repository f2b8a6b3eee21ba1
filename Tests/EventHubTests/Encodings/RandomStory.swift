// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Generated turns: sessions whose parts grow at the same time, in the events of one OpenCode version.
struct RandomStory {
    /// Whether every delta contains the whole text, as up to 1.1.x.
    let accumulates: Bool
    var dice: Dice
    private var story = Story()
    private var time = Story.start
    /// The text of each growing part, both as its JSON and as the JSON of its deltas.
    private var growing: [String: String] = [:]
    private var started = 0

    static func make(accumulates: Bool, seed: UInt64, count: Int = 150) -> Story {
        var maker = RandomStory(accumulates: accumulates, dice: Dice(state: seed))
        for session in 0..<3 { maker.add(#"{"type":"session.created","properties":{"info":{"id":"s\#(session)"}}}"#) }
        for _ in 0..<count { maker.advance() }
        return maker.story
    }

    private init(accumulates: Bool, dice: Dice) {
        self.accumulates = accumulates
        self.dice = dice
    }

    private mutating func add(_ json: String) { add(Story.Event(0, json)) }

    private mutating func add(_ event: Story.Event) {
        time += [0, 1, 7, 40, 100, 130].randomElement(using: &dice) ?? 0
        story.events.append(event)
        story.events[story.events.count - 1].time = time
    }

    private mutating func advance() {
        let session = "s\(Int.random(in: 0..<3, using: &dice))"
        let own = growing.keys.filter { $0.hasPrefix(session) }.sorted()
        switch Int.random(in: 0..<20, using: &dice) {
        case 0: add(#"{"type":"session.updated","properties":{"info":{"id":"\#(session)","title":"x"}}}"#)
        case 1: add(#"{"type":"file.edited","properties":{"file":"/a"}}"#)
        case 2:
            for part in own { endTurn(part, session) }
            growing = growing.filter { !$0.key.hasPrefix(session) }
            add(#"{"type":"session.status","properties":{"sessionID":"\#(session)","status":{"type":"busy"}}}"#)
        case 3 where own.isEmpty:
            add(#"{"type":"session.idle","properties":{"sessionID":"\#(session)"}}"#)
        case 4 where !own.isEmpty:
            let part = own.randomElement(using: &dice) ?? own[0]
            endTurn(part, session)
            growing[part] = nil
        case 5...7 where own.count < 3: startTurn(session)
        default: if let part = own.randomElement(using: &dice) { grow(part, session) }
        }
    }

    private mutating func startTurn(_ session: String) {
        started += 1
        let id = "\(session)-p\(started)"
        growing[id] = ""
        if accumulates { grow(id, session) } else { add(.update(0, "", part: id, session: session)) }
    }

    private mutating func endTurn(_ id: String, _ session: String) {
        add(.update(0, growing[id] ?? "", part: id, session: session, hasEnded: true))
    }

    /// Adds a delta to a part. Some deltas are half of a surrogate pair.
    private mutating func grow(_ id: String, _ session: String) {
        let fragments = ["word ", "", #"\n"#, "é", #"\""#, #"\ud83d"#, #"\ude80"#, "日本", #"\\"#]
        let fragment = fragments.randomElement(using: &dice) ?? ""
        growing[id, default: ""] += fragment
        if accumulates {
            add(.update(0, growing[id] ?? "", part: id, session: session, delta: fragment))
        } else {
            add(.delta(0, fragment, part: id, session: session))
        }
    }
}
