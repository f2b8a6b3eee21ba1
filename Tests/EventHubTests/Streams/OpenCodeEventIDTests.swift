// SPDX-License-Identifier: Apache-2.0

import EventHub
import Testing

/// Tests of the ids that the gateway gives to a repeated `server.connected`.
@Suite struct OpenCodeEventIDTests {
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `an id has the format of OpenCode's ids`() {
        let id = Self.text(OpenCodeEventID.make(at: 1_795_229_255_775))

        #expect(id.hasPrefix("evt_"))
        #expect(id.utf8.count == 30)
        #expect(id.dropFirst(4).allSatisfy { $0.isLetter || $0.isNumber })
    }

    @Test(arguments: [
        #"data: {"id":"evt_1fc00885f001fVrnmrV4I4TOix","type":"server.connected","properties":{}}"#,
        #"data: {"payload":{"id":"evt_1fc00885f001fVrnmrV4I4TOix","type":"server.connected","properties":{}}}"#,
        #"data: {"id":"evt_203aafe81001fVrnmrV4I4TOix","type":"server.connected","data":{}}"#,
    ])
    func `a frame receives a new id each time and is otherwise unchanged`(frame: String) throws {
        let old = try #require(frame.firstMatch(of: /evt_\w+/)).output

        let first = Self.text(OpenCodeEventID.renewed(in: Array(frame.utf8)))
        let second = Self.text(OpenCodeEventID.renewed(in: Array(frame.utf8)))

        let id = try #require(first.firstMatch(of: /evt_\w+/)).output

        #expect(id != old)
        #expect(first != second)
        #expect(first.replacing(id, with: old) == frame)
    }

    @Test(arguments: [
        #"data: {"type":"server.connected","properties":{}}"#, #"data: {"id":"evt_0","type":"server.connected"}"#,
        "data: {}", "",
    ])
    func `a frame without such an id is unchanged`(frame: String) {
        #expect(Self.text(OpenCodeEventID.renewed(in: Array(frame.utf8))) == frame)
    }
}
