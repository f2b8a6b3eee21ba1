// SPDX-License-Identifier: Apache-2.0

import Dialects
import EventHub
import JSONText
import OpenCodeFamilies
import Testing

/// Tests that a reader of values receives the same events as a translated stream.
@Suite struct TranslatedEventReaderTests {
    private static let idle =
        #"{"directory":"/d","payload":{"type":"session.idle","properties":{"sessionID":"ses_1"}}}"#

    private static func outline(_ events: [TranslatedEvent]) -> [String] {
        events.compactMap { event in
            switch event {
            case .gap(let gap): return gap.reason.rawValue
            case .event(let event):
                switch event.change {
                case .sessionCreated: return "created"
                case .status(_, let status): return "\(status)"
                case .partDelta(let delta): return delta.delta.text
                case .idle: return "session.idle"
                case .other(let type, _): return type
                default: return nil
                }
            }
        }
    }

    @Test(arguments: [1, 300, 1 << 20])
    func `the events of both versions and the gaps are returned as values`(limit: Int) {
        let fixture = TranslatedFixture()
        var reader = TranslatedEventReader(fixture.log, after: fixture.log.beginning)
        fixture.turn(2)
        fixture.log.append(gap: .upstreamLost, time: 50)
        fixture.append(Self.idle, family: .one)

        let events = fixture.events(&reader, limit: limit)
        let more = fixture.events(&reader, limit: limit)

        #expect(
            Self.outline(events) == [
                "busy", "busy", "0 ", "1 ", "busy", "idle", "session.idle", "upstream-lost", "session.idle",
            ])
        #expect(more.isEmpty)
    }

    @Test func `the events before the start are translated but not returned`() {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.append(Self.idle, family: .one)
        fixture.log.append(gap: .tooLarge, time: 50)
        fixture.created()
        let start = fixture.log.end
        fixture.turn(1)
        var reader = TranslatedEventReader(fixture.log, after: start)

        let events = fixture.events(&reader)

        #expect(Self.outline(events) == ["busy", "busy", "0 ", "busy", "idle", "session.idle"])
        #expect(fixture.queries == [.defaults])
    }

    @Test func `a gap directly after the start is returned`() {
        let fixture = TranslatedFixture()
        fixture.append(Self.idle, family: .one)
        var reader = TranslatedEventReader(fixture.log, after: fixture.log.end)
        let before = fixture.events(&reader)
        fixture.log.append(gap: .upstreamLost, time: 50)

        let events = fixture.events(&reader)

        #expect(before.isEmpty)
        #expect(Self.outline(events) == ["upstream-lost"])
    }

    @Test func `a gap discards the known sessions, and a new run also the instance defaults`() {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.turn(1)
        fixture.log.append(gap: .upstreamLost, time: 50)
        fixture.turn(1, number: 2)
        fixture.log.beginGeneration(now: 60, after: .instanceRestarted)
        fixture.turn(1, number: 3)
        var reader = TranslatedEventReader(fixture.log, after: fixture.log.beginning)

        let events = fixture.events(&reader)

        #expect(fixture.queries == [.defaults, .session("ses_1"), .defaults, .session("ses_1")])
        #expect(Self.outline(events).filter { $0.contains("-") } == ["upstream-lost", "instance-restarted"])
    }

    @Test func `the shutdown of a directory discards its known sessions`() {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.append(
            #"{"id":"evt_8","created":9,"type":"location.shutdown","location":{"directory":"/d"},"data":{}}"#)
        fixture.turn(1)
        var reader = TranslatedEventReader(fixture.log, after: fixture.log.beginning)

        let events = fixture.events(&reader)

        #expect(Self.outline(events).prefix(2) == ["created", "server.instance.disposed"])
        #expect(fixture.queries == [.defaults, .session("ses_1")])
    }
}
