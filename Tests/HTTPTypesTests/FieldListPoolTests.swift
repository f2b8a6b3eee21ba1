// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@Suite("The pool of field lists")
struct FieldListPoolTests {
    @Test(
        arguments: ["", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"])
    func `a head that is read into reused memory has only its own fields`(interim: String) throws {
        var pool = FieldListPool()
        pool.release(FieldList(["Set-Cookie": "secret=1", "Connection": "close", "X": "y"]))
        var reader = ResponseHeadReader()
        reader.lend(from: &pool)
        let bytes = "\(interim)HTTP/1.1 200 OK\r\nServer: s\r\n\r\n".bytes
        var index = 0
        var progress = try reader.parse(bytes.span, from: &index)
        if case .interim = progress { progress = try reader.parse(bytes.span, from: &index) }
        guard case .complete(let head) = progress else {
            Issue.record("the head was not read: \(progress)")
            return
        }

        #expect(head.fields.lines == ["Server: s"])
        #expect(head.fields.wire == "Server: s\r\n")
        #expect(head.fields.firstIndex(of: .connection) == nil)
    }

    @Test func `a head that has begun receives no reused memory`() throws {
        var pool = FieldListPool()
        var reader = ResponseHeadReader()
        var index = 0
        let beginning = "HTTP/1.1 200 OK\r\nServer: s\r\n".bytes
        _ = try reader.parse(beginning.span, from: &index)
        pool.release(FieldList(["X": "y"]))
        reader.lend(from: &pool)
        index = 0
        guard case .complete(let head) = try reader.parse("\r\n".bytes.span, from: &index) else {
            Issue.record("the head was not read")
            return
        }

        #expect(head.fields.lines == ["Server: s"])
    }

    @Test func `a head that arrives in parts receives reused memory once`() {
        var pool = FieldListPool()
        for _ in 0..<2 { pool.release(FieldList(["X": "y"])) }
        var reader = ResponseHeadReader()
        for _ in 0..<3 { reader.lend(from: &pool) }

        #expect(pool.acquire().byteCapacity > 0)
    }

    @Test func `a returned list that is still referenced stays unchanged`() {
        var pool = FieldListPool()
        let held = FieldList(["A": "1"])
        pool.release(held)
        var taken = pool.acquire()
        taken.makeRoom(fields: 4, bytes: 100)
        taken.append("B", "2")

        #expect(held.lines == ["A: 1"])
        #expect(taken.lines == ["B: 2"])
    }

    @Test func `a pool keeps at most 64 lists, and neither large nor empty ones`() {
        var pool = FieldListPool()
        pool.release(FieldList(["X": String(repeating: "x", count: 8 * 1024)]))
        pool.release(FieldList())
        var roomy = FieldList(fields: 1, bytes: 9 * 1024)
        roomy.append("X", "y")
        pool.release(roomy)

        #expect(pool.acquire().byteCapacity == 0)

        for _ in 0..<100 { pool.release(FieldList(["A": "1"])) }
        var count = 0
        while pool.acquire().count > 0 { count += 1 }

        #expect(count == 64)
    }
}
