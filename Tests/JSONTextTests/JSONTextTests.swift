// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

@Suite struct JSONTextTests {
    @Test func `each character survives quoting and parsing`() throws {
        let text = String(String.UnicodeScalarView((0..<0x250).compactMap { Unicode.Scalar($0) })) + "\u{2028}😀"
        let parsed = try JSONSerialization.jsonObject(with: Data("[\(JSONText.quoted(text))]".utf8))

        #expect(parsed as? [String] == [text])
    }

    @Test(arguments: [
        ("", #""""#), ("a\"b\\c/d", #""a\"b\\c/d""#), ("one\r\n\ttwo", #""one\r\n\ttwo""#),
        ("\u{0}\u{1F}\u{7F}", #""\u0000\u001f\u007f""#), ("é 😀", #""é 😀""#),
    ]) func `each character that needs an escape has the shortest one`(text: String, quoted: String) {
        #expect(JSONText.quoted(text) == quoted)

        var bytes = Array("x".utf8)
        bytes.append(jsonString: text)

        #expect(String(decoding: bytes, as: UTF8.self) == "x" + quoted)
    }
}
