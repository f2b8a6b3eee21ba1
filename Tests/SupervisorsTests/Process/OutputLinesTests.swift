// SPDX-License-Identifier: Apache-2.0

import Supervisors
import Testing

@Suite struct OutputLinesTests {
    @Test func `the lines are the same regardless of where the output is split`() {
        let bytes = Array("one\r\ntwo\n\n  three ü\nlast".utf8)

        for split in 0...bytes.count {
            var lines = OutputLines()
            let found = lines.split(Array(bytes[..<split])) + lines.split(Array(bytes[split...])) + [lines.finish()]
            #expect(found == ["one", "two", "  three ü", "last"], "split at \(split)")
        }
    }

    @Test func `a line longer than the limit is truncated`() {
        var lines = OutputLines()
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: OutputLines.lineLimit)

        #expect(lines.split(long + Array("\nnext\n".utf8)) == [String(decoding: long, as: UTF8.self), "next"])

        for _ in 0..<100 { #expect(lines.split(long) == []) }

        #expect(lines.split(Array("\nnext\n".utf8)) == [String(decoding: long, as: UTF8.self) + "…", "next"])
    }

    @Test func `invalid UTF-8 is replaced by U+FFFD`() {
        var lines = OutputLines()

        #expect(lines.split([0x61, 0xFF, 0x62, 0x0A]) == ["a\u{FFFD}b"])
    }
}
