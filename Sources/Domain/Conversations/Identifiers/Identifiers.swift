// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The id of a conversation in a client's spelling: a UUID in any letter case.
package struct ConversationID: Sendable, Hashable, CustomStringConvertible {
    /// The id in its first spelling. Ids that differ only in letter case are equal.
    package let text: String
    private let key: String

    /// Parses an id; nil if the text is not a UUID (RFC 9562 §4).
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            let isDash = [8, 13, 18, 23].contains(index)
            guard isDash ? byte == UInt8(ascii: "-") : byte.hexadecimalDigitValue != nil else { return nil }
        }
        self.text = text
        key = text.lowercased()
    }

    /// Creates the gateway's own id of a session, which is name-based and in lower case.
    package init(session: String) {
        text = NamedUUID.make(session, in: NamedUUID.conversations)
        key = text
    }

    /// The id as it was first written.
    package var description: String { text }

    /// Returns whether both ids are equal, regardless of letter case.
    package static func == (one: ConversationID, other: ConversationID) -> Bool { one.key == other.key }

    /// Hashes the id, regardless of letter case.
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// Creates UUIDs from names (RFC 9562 §5.5). A name has the same UUID on every machine, so no mapping needs to be
/// stored.
enum NamedUUID {
    /// The namespace of OpenCode's session ids.
    static let conversations: [UInt8] = space(0x01)
    /// The namespace of OpenCode's message ids.
    static let messages: [UInt8] = space(0x02)
    /// The namespace for the answers to OpenCode's messages.
    static let answers: [UInt8] = space(0x03)
    /// The namespace of OpenCode's part ids.
    static let tools: [UInt8] = space(0x04)

    /// Returns a namespace of the gateway: a random UUID (`uuidgen -r`) whose last byte is the kind of name.
    private static func space(_ kind: UInt8) -> [UInt8] {
        [0x5E, 0x0B, 0x7A, 0x62, 0x9D, 0x31, 0x4C, 0x8F, 0xA4, 0x16, 0x2F, 0xC9, 0x70, 0xD8, 0x53, kind]
    }

    /// Returns the UUID of a name, in lower case.
    static func make(_ name: String, in space: [UInt8]) -> String {
        var bytes = Array(SHA1.digest(space + Array(name.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(hexadecimal: UInt64(byte), digits: 2)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Creates the ids of the messages that the gateway sends. The gateway identifies the answer to a message by the
/// message's id. The ids have OpenCode's own form, because OpenCode's clients sort messages by id, and OpenCode's loop
/// compares ids.
package enum PromptID {
    /// Returns `msg_`, 48 bits of the time, and 14 characters from `random`.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package static func make(at now: Int64, _ random: () -> UInt64) -> String {
        // The counter in the id is 0, so the id sorts before the answer's id. OpenCode counts the ids of each
        // millisecond from 1.
        String(decoding: OpenCodeID.make("msg_", at: now, random: random), as: UTF8.self)
    }
}
