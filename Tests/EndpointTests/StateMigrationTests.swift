// SPDX-License-Identifier: Apache-2.0

import GatewayServer
import Storage
import Testing

@Suite struct StateMigrationTests {
    @Test func `the migrations of state.db are numbered from 1 without a gap`() {
        #expect(Migration.all.map(\.number) == Array(1...Migration.all.count))
    }
}
