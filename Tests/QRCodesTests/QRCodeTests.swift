// SPDX-License-Identifier: Apache-2.0

import QRCodes
import Testing

@Suite struct QRCodeTests {
    private static let link = "https://gateway.example.com/-/pair#0123-4567-89AB-CDEF"

    @Test func `three corners contain finder patterns`() throws {
        let code = try #require(QRCode(Self.link))
        // ISO/IEC 18004 §6.3.3.1: a dark square of 7 modules with a light ring inside.
        for (row, column) in [(0, 0), (0, code.size - 7), (code.size - 7, 0)] {
            for offset in 0..<7 {
                #expect(code.isDark(row: row, column: column + offset))
                #expect(code.isDark(row: row + 6, column: column + offset))
                #expect(code.isDark(row: row + 3, column: column + offset) == ![1, 5].contains(offset))
            }
        }
        #expect(!code.isDark(row: -1, column: 0))
        #expect(!code.isDark(row: 0, column: code.size))
    }

    @Test func `the text for a terminal has a light margin of four modules and both colours`() throws {
        let code = try #require(QRCode(Self.link))
        let lines = code.terminalText.split(separator: "\n")

        #expect(lines.count == (code.size + 8 + 1) / 2)
        for line in lines {
            #expect(line.hasPrefix("\u{1B}[30;107m    "))
            #expect(line.hasSuffix("    \u{1B}[0m"))
            #expect(line.count == code.size + 8 + "\u{1B}[30;107m\u{1B}[0m".count)
        }
        #expect(lines[0].dropFirst(9).dropLast(4).allSatisfy { $0 == " " })
        #expect(lines[2].dropFirst(9 + 4).hasPrefix("\u{2588}\u{2580}\u{2580}\u{2580}\u{2580}\u{2580}\u{2588}"))
    }

    @Test func `a text that does not fit has no code`() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "a", count: 3_000)) == nil)
        #expect(QRCode(String(repeating: "a", count: 2_000)) != nil)
    }
}
