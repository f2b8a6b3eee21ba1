// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A delta of a streamed answer, as ranges in the bytes of OpenCode 2's event.
struct ScannedDelta: Sendable {
    enum Kind: Sendable { case text, reasoning, compaction }

    let kind: Kind
    /// The range of the session's id.
    let session: Range<Int>
    /// The range of the message's id; nil for a delta of a summary, because this event names no message.
    let message: Range<Int>?
    let ordinal: Int
    /// The range of the event's id.
    let id: Range<Int>
    /// The range of the added JSON string, including its quotes.
    let addition: Range<Int>

    /// Scans an event; nil if the event has another type or is incomplete.
    init?(_ bytes: [UInt8]) {
        let text = bytes.span
        var event = JSONScanner()
        guard event.enterObject(text) else { return nil }
        var id: Range<Int>?
        var kind: Kind?
        var found = Found()
        while let name = event.name(text) {
            // OpenCode writes the type before the data, so the type is usually known here.
            if let kind, bytes.isAt(name, "data") {
                guard event.enterObject(text), found.scan(&event, of: bytes, kind: kind) else { return nil }
                continue
            }
            guard let value = event.value(text) else { return nil }
            if bytes.isAt(name, "id") {
                id = Self.inner(value, bytes)
            } else if bytes.isAt(name, "type") {
                kind = Self.kind(value, bytes)
                guard kind != nil else { return nil }
            }
        }
        guard let id, let kind, let session = found.session, let addition = found.addition,
            let ordinal = found.ordinal, bytes[addition.lowerBound] == UInt8(ascii: "\"")
        else { return nil }
        self.kind = kind
        self.id = id
        self.ordinal = ordinal
        self.addition = addition
        self.session = session
        message = found.message
    }

    /// The relevant members of an event's data.
    private struct Found {
        var session: Range<Int>?
        var message: Range<Int>?
        var addition: Range<Int>?
        var ordinal: Int? = 0

        /// Scans the members. Returns false if a member is malformed.
        mutating func scan(_ data: inout JSONScanner, of bytes: [UInt8], kind: Kind) -> Bool {
            let text = bytes.span
            while let name = data.name(text) {
                guard let value = data.value(text) else { return false }
                if bytes.isAt(name, "sessionID") {
                    session = ScannedDelta.inner(value, bytes)
                } else if bytes.isAt(name, "assistantMessageID") {
                    message = ScannedDelta.inner(value, bytes)
                } else if bytes.isAt(name, "ordinal") {
                    ordinal = ScannedDelta.number(value, bytes)
                } else if bytes.isAt(name, kind == .compaction ? "text" : "delta") {
                    addition = value
                }
            }
            return true
        }
    }

    /// The text to which the previous delta was added. Deltas of the same text are usually consecutive.
    struct Last: Sendable {
        private let kind: Kind
        private let session: [UInt8]
        private let message: [UInt8]
        private let ordinal: Int
        let text: Step.OpenText
        let directory: String

        init(_ delta: ScannedDelta, bytes: [UInt8], text: Step.OpenText, directory: String) {
            kind = delta.kind
            ordinal = delta.ordinal
            session = Array(bytes[delta.session])
            message = delta.message.map { Array(bytes[$0]) } ?? []
            self.text = text
            self.directory = directory
        }

        /// Returns whether a delta belongs to the same text.
        func matches(_ delta: ScannedDelta, _ bytes: [UInt8]) -> Bool {
            delta.kind == kind && delta.ordinal == ordinal && bytes[delta.session].elementsEqual(session)
                && bytes[delta.message ?? 0..<0].elementsEqual(message)
        }
    }

    private static func kind(_ type: Range<Int>, _ bytes: [UInt8]) -> Kind? {
        if bytes.isAt(type, "\"session.text.delta\"") { return .text }
        if bytes.isAt(type, "\"session.reasoning.delta\"") { return .reasoning }
        if bytes.isAt(type, "\"session.compaction.delta\"") { return .compaction }
        return nil
    }

    /// Returns the range between the quotes; nil if the value is not a string.
    private static func inner(_ value: Range<Int>, _ bytes: [UInt8]) -> Range<Int>? {
        guard value.count >= 2, bytes[value.lowerBound] == UInt8(ascii: "\"") else { return nil }
        return value.lowerBound + 1..<value.upperBound - 1
    }

    private static func number(_ value: Range<Int>, _ bytes: [UInt8]) -> Int? {
        var number = 0
        for byte in bytes[value] {
            guard (0x30...0x39).contains(byte), number < 100_000 else { return nil }
            number = number * 10 + Int(byte & 0xF)
        }
        return number
    }
}

extension [UInt8] {
    /// Returns whether the bytes in this range equal `word`.
    fileprivate func isAt(_ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            for offset in 0..<word.count where self[range.lowerBound + offset] != word[offset] { return false }
            return true
        }
    }
}
