// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestThreads
import Testing

@testable import Proxying

@Suite("Fields of one connection (RFC 9110 §7.6.1)", .onTestThreads)
struct HopByHopTests {
    private func removed(_ fields: FieldList) -> [Bool] {
        let hopByHop = HopByHop(fields)
        return (0..<fields.count).map { hopByHop.removes(fields.knownName(at: $0), fields.name(at: $0).span) }
    }

    @Test(
        arguments: [
            "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE",
            "Trailer", "Transfer-Encoding", "Upgrade",
        ])
    func `hop-by-hop fields are not forwarded, whether Connection names them or not`(name: String) {
        #expect(removed(FieldList([name: "a", "X": "b"])) == [true, false])
        #expect(removed(FieldList([name.lowercased(): "a", name.uppercased(): "b"])) == [true, true])
    }

    @Test(
        arguments: ["Close", "Host", "X", "Cookie", "Content-Length", "Via", "Connections"])
    func `a field that is not hop-by-hop is forwarded`(name: String) {
        #expect(removed(FieldList([name: "a"])) == [false])
    }

    @Test(
        arguments: [
            ("close", "Close"), ("Keep-Alive", "keep-alive"), ("x-one", "X-One"), ("close, X-ONE", "x-one"),
            ("x-one, close", "close"), (" ,x-one\t,", "X-One"), ("cookie", "Cookie"), ("host", "Host"),
        ])
    func `a field that Connection names is not forwarded, wherever it appears`(connection: String, name: String) {
        #expect(removed(FieldList(["Connection": connection, name: "a", "X-Other": "b"])) == [true, true, false])
        // The field also applies to the fields before it.
        #expect(removed(FieldList(["X-Other": "b", name: "a", "Connection": connection])) == [false, true, true])
    }

    @Test func `the options of several Connection fields are combined`() {
        let fields = FieldList([
            "Connection": "x-one", "X-One": "a", "X-Two": "b", "connection": "x-two", "X-Three": "c",
        ])

        #expect(removed(fields) == [true, true, true, true, false])
    }

    @Test func `a Connection option matches only a whole field name`() {
        let fields = FieldList(["Connection": "x-one", "X-On": "a", "X-One-More": "b", "XX-One": "c"])

        #expect(removed(fields) == [true, false, false, false])
    }

    @Test func `the first 32 options of Connection apply, not counting keep-alive`() {
        let options = (1...33).map { "x-\($0)" }
        let fields = FieldList([
            "Connection": "keep-alive, " + options.joined(separator: ", "), "X-1": "a", "X-32": "b", "X-33": "c",
            "Keep-Alive": "d",
        ])

        #expect(removed(fields) == [true, true, true, false, true])
    }
}
