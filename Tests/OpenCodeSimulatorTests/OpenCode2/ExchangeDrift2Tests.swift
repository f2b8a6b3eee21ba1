// SPDX-License-Identifier: Apache-2.0

import TestThreads
import Testing

@testable import opencode_simulator

/// Sends every recorded request of OpenCode 2 to the simulator. The status, header fields, members and their values
/// must match the recorded response.
@Suite("Exchanges of OpenCode 2 match the recordings", .onTestThreads)
struct ExchangeDrift2Tests {
    @Test func `each recorded exchange is replayed or listed as an exception`() {
        let played = RecordedFlow.all.flatMap(\.steps).map(\.exchange.name)
        let aside = RecordedFlow.exchanges.map(\.name).filter { RecordedFlow.setAside[$0] != nil }

        #expect(RecordedFlow.exchanges.count == 256)
        #expect((played + aside).sorted() == RecordedFlow.exchanges.map(\.name).sorted())
        #expect(aside.count == RecordedFlow.setAside.count)

        // The tables contain only recorded exchanges.
        let names = Set(RecordedFlow.exchanges.map(\.name))
        let listed = FlowTable.flows.flatMap(\.steps).map(\.0) + FlowTable.before.keys + FlowTable.early

        #expect(Set(listed).subtracting(names) == [])
    }

    @Test(arguments: RecordedFlow.all)
    func `the response to each recorded request of a flow matches the recording`(_ flow: RecordedFlow) throws {
        let player = try FlowPlayer(flow)

        for step in flow.steps {
            try step.prepare?(player)
            let differences = try player.play(step.exchange)
            Tally.record(step.exchange, isEqual: differences.isEmpty)
            #expect(differences == [], "\(step.exchange.name)")
        }
    }
}
