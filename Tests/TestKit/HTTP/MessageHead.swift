// SPDX-License-Identifier: Apache-2.0

/// A header or trailer field as received.
package struct TestField: Sendable, Equatable, CustomStringConvertible {
    /// The name in its exact spelling.
    package let name: String
    /// The value without surrounding white space.
    package let value: String

    /// Creates a field from its name and value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The field in the form `Name: value`.
    package var description: String { "\(name): \(value)" }
}

extension [TestField] {
    /// Returns all values of the fields with this name in order, ignoring case.
    package func values(of name: String) -> [String] {
        let name = name.lowercased()
        return filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Returns the value of the first field with this name.
    package func first(_ name: String) -> String? { values(of: name).first }
}

/// The start line and the fields of a message (RFC 9112 §2.1). The parser is strict: only CRLF ends a line, and folded
/// lines are rejected.
struct MessageHead {
    let startLine: String
    let fields: [TestField]
    let raw: [UInt8]

    /// Parses a head, including the empty line at its end.
    init(_ raw: [UInt8]) throws {
        var lines = try MessageHead.lines(of: raw)
        guard !lines.isEmpty else { throw TestKitError.malformed("a head without a start line") }
        startLine = String(decoding: lines.removeFirst(), as: UTF8.self)
        fields = try lines.map(MessageHead.field)
        self.raw = raw
    }

    /// Parses the fields of a trailer section, including the empty line at its end.
    static func fields(ofTrailer raw: [UInt8]) throws -> [TestField] {
        try lines(of: raw).map(field)
    }

    private static func lines(of raw: [UInt8]) throws -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        while let end = raw.firstEnd(of: [13, 10], from: start) {
            let line = raw[start..<(end - 2)]
            if line.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) {
                throw TestKitError.malformed(
                    "a bare CR, LF or NUL in \(String(decoding: line, as: UTF8.self).debugDescription)")
            }
            start = end
            if line.isEmpty { break }
            lines.append(line)
        }
        if start != raw.count { throw TestKitError.malformed("a head whose lines do not end with CRLF") }
        return lines
    }

    private static func field(_ line: ArraySlice<UInt8>) throws -> TestField {
        let text = String(decoding: line, as: UTF8.self)
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
            throw TestKitError.malformed("a field line without a name: \(text.debugDescription)")
        }
        let name = line[..<colon]
        if name.contains(where: { $0 <= 32 || $0 >= 127 }) {
            throw TestKitError.malformed("white space or control characters in a field name: \(text.debugDescription)")
        }
        let blank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 }
        var value = line[(colon + 1)...].drop(while: blank)
        while let last = value.last, blank(last) { value.removeLast() }
        return TestField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
}

/// How a body is delimited (RFC 9112 §6.3).
enum BodyFraming: Equatable {
    case none
    case length(Int)
    case chunked
    case untilClose

    /// Whether there is a body whose framing shows where it ends.
    var delimitsBody: Bool { self != .none && self != .untilClose }

    /// Creates the framing that the fields declare, or nil if they declare none.
    ///
    /// - Throws: `malformed` for fields that a sender must not send according to RFC 9112.
    init?(_ fields: [TestField]) throws {
        let codings = fields.values(of: "Transfer-Encoding")
        let lengths = fields.values(of: "Content-Length")
        if !codings.isEmpty {
            if !lengths.isEmpty { throw TestKitError.malformed("Transfer-Encoding and Content-Length in one message") }
            if codings.map({ $0.lowercased() }) != ["chunked"] {
                throw TestKitError.malformed("Transfer-Encoding \(codings) instead of one \"chunked\"")
            }
            self = .chunked
        } else if let text = lengths.first {
            if lengths.count > 1 { throw TestKitError.malformed("\(lengths.count) Content-Length fields: \(lengths)") }
            guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(text) else {
                throw TestKitError.malformed("Content-Length \(text.debugDescription) is not a number")
            }
            self = .length(length)
        } else {
            return nil
        }
    }
}
