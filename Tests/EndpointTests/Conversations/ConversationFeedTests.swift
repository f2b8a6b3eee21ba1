// SPDX-License-Identifier: Apache-2.0

import EventHub
import OpenCodeFamilies
import Testing

@testable import ConversationServing
@testable import Conversations
@testable import EventStreaming

/// Tests that a project's conversations receive the events of its log as values.
@Suite struct ConversationFeedTests {
    @Test func `a gap causes a check of the running answers`() async throws {
        try await onThread {
            let fixture = try HubFixture()
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.snapshot(.connected)
            fixture.withProject { $0.state.expect("msg_1", "hi", in: "ses_1", at: 0) }
            fixture.append(
                #"{"directory":"/d","payload":{"type":"session.idle","properties":{"sessionID":"ses_2"}}}"#)
            try fixture.snapshot(.connected)
            let beforeGap = fixture.sent

            fixture.log.append(gap: .upstreamLost, time: 50)
            try fixture.snapshot(.connected)

            #expect(beforeGap == 0)
            #expect(fixture.sent == 1)
        }
    }

    @Test func `an event from OpenCode 2 is received after the hub has responded to a query`() async throws {
        try await onThread {
            let fixture = try HubFixture()
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.snapshot(.connected)
            fixture.withProject { $0.state.expect("msg_1", "hi", in: "ses_1", at: 0) }
            fixture.append(
                #"{"id":"evt_1","created":1,"type":"session.deleted","data":{"sessionID":"ses_1"}}"#, family: .two)

            try fixture.snapshot(.connected)
            try fixture.run { fixture.withProject { $0.state.quiet(for: 0, at: .max).isEmpty } }

            #expect(fixture.queries == [.defaults])
        }
    }
}
