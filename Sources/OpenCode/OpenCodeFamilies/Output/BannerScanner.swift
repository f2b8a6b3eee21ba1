// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The address that an OpenCode server announces, and the family of the server.
package struct Announcement: Sendable, Equatable {
    /// The host in the URL. An IPv6 address has no brackets.
    package let host: String
    /// The announced port, which is never 0.
    package let port: UInt16
    /// The family that announces its address with this wording.
    package let family: APIFamily

    /// Creates an announcement, by default for 127.0.0.1.
    package init(host: String = "127.0.0.1", port: UInt16, family: APIFamily) {
        self.host = host
        self.port = port
        self.family = family
    }

    /// Whether the gateway connects to the announced host. The host `localhost` is not accepted, because it may resolve
    /// to ::1.
    package var isExpectedHost: Bool { host == "127.0.0.1" }
}

/// Finds the address that an OpenCode server announces on its standard output.
///
/// OpenCode 1 prints `opencode server listening on http://HOST:PORT`; OpenCode 2 prints `server listening on
/// http://HOST:PORT`. Warnings and migration progress can precede this line. An IPv6 address is in brackets, except in
/// 2.0.15. The line must begin with this phrase, apart from colour codes. The scanner uses only the first such line,
/// because an agent may print a similar line later. Pass only the standard output to the scanner. Tool servers that
/// OpenCode starts announce their own ports on OpenCode's standard error.
package struct BannerScanner: Sendable {
    /// The maximum length in bytes of a line that can be an announcement. The length is sufficient for the phrase, a
    /// host name (253 bytes) and a port.
    private static let lineLimit = 512
    private static let phrases: [(words: [UInt8], family: APIFamily)] = [
        (Array("opencode server listening on http://".utf8), .one), (Array("server listening on http://".utf8), .two),
    ]

    private var line: [UInt8] = []
    private var isTooLong = false
    private var sequences = ControlSequences()

    /// The announcement; nil until it is found.
    package private(set) var announcement: Announcement?

    /// Creates a scanner at the beginning of a server's output.
    package init() {}

    /// Scans the next bytes of the output, which may be split anywhere. Returns the announcement if these bytes
    /// complete its line.
    package mutating func scan(_ bytes: ArraySlice<UInt8>) -> Announcement? {
        guard announcement == nil else { return nil }
        for byte in bytes {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if let announced = endLine() { return announced }
            } else if !sequences.consume(byte) {
                append(byte)
            }
        }
        return nil
    }

    private mutating func append(_ byte: UInt8) {
        if line.count < Self.lineLimit { line.append(byte) } else { isTooLong = true }
    }

    private mutating func endLine() -> Announcement? {
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLong = false
            sequences = ControlSequences()
        }
        guard !isTooLong, let announced = Self.announcement(in: line[...]) else { return nil }
        announcement = announced
        return announced
    }

    private static func announcement(in line: ArraySlice<UInt8>) -> Announcement? {
        guard let phrase = phrases.first(where: { line.starts(with: $0.words) }) else { return nil }
        // A path or other text may follow the authority (RFC 3986 §3.2).
        let authority = line.dropFirst(phrase.words.count).prefix { $0 != UInt8(ascii: "/") && $0 > 0x20 }
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        guard let host = host(authority[..<colon]) else { return nil }
        let digits = authority[(colon + 1)...]
        guard (1...5).contains(digits.count), digits.allSatisfy({ isDigit($0) }) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard number != 0, let port = UInt16(exactly: number) else { return nil }
        return Announcement(host: host, port: port, family: phrase.family)
    }

    /// Returns the text if it is a host name or an address; nil for any other text. Removes the optional brackets of an
    /// IPv6 address.
    private static func host(_ text: ArraySlice<UInt8>) -> String? {
        var host = text
        if text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") { host = text.dropFirst().dropLast() }
        let isAddress = host.contains(UInt8(ascii: ":"))
        guard isAddress || host.count == text.count, !host.isEmpty else { return nil }
        let isPlain = host.allSatisfy { byte in
            if byte == UInt8(ascii: ".") { return true }
            if isAddress { return byte.hexadecimalDigitValue != nil || byte == UInt8(ascii: ":") }
            return isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "-")
        }
        return isPlain ? String(decoding: host, as: UTF8.self) : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
