// SPDX-License-Identifier: Apache-2.0

import Audit
import GatewayServer
import Storage
import Testing

@Suite struct StateMigrationTests {
    @Test func `the migrations of state.db are numbered from 1 without a gap`() {
        #expect(Migration.all.map(\.number) == Array(1...Migration.all.count))
    }

    @Test func `the migrations of audit.db are numbered from 1 without a gap`() {
        #expect(Migration.audit.map(\.number) == Array(1...Migration.audit.count))
    }
}
