// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import HTTPClient

@Suite("The idle time that an instance announces")
struct KeepAliveFieldTests {
    private func idleTime(_ values: String...) -> Duration? {
        var fields = FieldList()
        fields.append("Connection", "keep-alive")
        for value in values { fields.append("Keep-Alive", value) }
        return KeepAliveField.idleLimit(fields)
    }

    @Test func `a connection may be idle for one second less than its Keep-Alive timeout`() {
        #expect(idleTime("timeout=5") == .seconds(4))
        #expect(idleTime("timeout=72, max=1000") == .seconds(71))
        #expect(idleTime("max=5,TimeOut = 2") == .seconds(1))
        #expect(idleTime("timeout=999999999") == .seconds(999_999_998))
    }

    @Test func `a Keep-Alive timeout of 0 or 1 s allows no idle time`() {
        #expect(idleTime("timeout=1") == .zero)
        #expect(idleTime("timeout=0") == .zero)
    }

    @Test func `the shortest of several Keep-Alive timeouts applies`() {
        #expect(idleTime("timeout=9, timeout=3", "timeout=6") == .seconds(2))
    }

    @Test(
        arguments: ["", "max=5", "timeout", "timeout=", "timeout=x", "timeout=-5", "timeout=5s", "timeout=9999999999"])
    func `a Keep-Alive field without a valid timeout sets no limit`(value: String) {
        #expect(idleTime(value) == nil)
        #expect(idleTime() == nil)
    }
}
