// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension String {
    /// The bytes of the text in UTF-8.
    var bytes: [UInt8] { Array(utf8) }
}

extension Sequence<UInt8> {
    /// The bytes decoded as text.
    var text: String { String(decoding: Array(self), as: UTF8.self) }
}

extension FieldList {
    /// Creates the fields as a parser would read them from a head, without white space around the values.
    init(_ fields: KeyValuePairs<String, String>) {
        self.init()
        for (name, value) in fields { append(name: name.bytes.span, value: value.bytes.span) }
    }

    /// Each field as `Name: value`, in order.
    var lines: [String] { (0..<count).map { "\(name(at: $0).text): \(value(at: $0).text)" } }

    /// All fields as written in a head.
    var wire: String {
        var text: [UInt8] = []
        appendLines(to: &text)
        return text.text
    }
}

/// Returns all tested ways to split `bytes`: whole, byte by byte, and in two at every offset.
func cuts(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    [[bytes[...]], bytes.indices.map { bytes[$0...$0] }] + bytes.indices.map { [bytes[..<$0], bytes[$0...]] }
}
