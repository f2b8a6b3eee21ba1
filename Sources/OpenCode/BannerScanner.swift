/// Finds the port that an OpenCode server announces on its standard output.
///
/// V1 prints `opencode server listening on http://HOST:PORT`, V2 `server listening on http://HOST:PORT`, after
/// warnings and migration progress. Only a line that begins so counts, colour codes aside, and only the first one:
/// what an agent prints later may look the same. Feed it standard output alone: tool servers started by OpenCode
/// write to its standard error, and announce ports of their own there.
package struct BannerScanner: Sendable {
    /// The longest line that can be an announcement, bytes: the phrase, a host name (253) and a port fit well.
    private static let lineLimit = 512
    private static let phrases = ["opencode server listening on http://", "server listening on http://"].map {
        Array($0.utf8)
    }

    private var line: [UInt8] = []
    private var isTooLong = false
    private var sequences = ControlSequences()

    /// The port once it has been announced.
    package private(set) var port: UInt16?

    /// A scanner at the beginning of a server's output.
    package init() {}

    /// Takes the next bytes of the output, split anywhere; returns the port when these bytes complete the first
    /// announcement.
    package mutating func scan(_ bytes: ArraySlice<UInt8>) -> UInt16? {
        guard port == nil else { return nil }
        for byte in bytes {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if let announced = endLine() { return announced }
            } else if !sequences.takes(byte) {
                append(byte)
            }
        }
        return nil
    }

    private mutating func append(_ byte: UInt8) {
        if line.count < Self.lineLimit { line.append(byte) } else { isTooLong = true }
    }

    private mutating func endLine() -> UInt16? {
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLong = false
            sequences = ControlSequences()
        }
        guard !isTooLong, let announced = Self.announcement(in: line[...]) else { return nil }
        port = announced
        return announced
    }

    private static func announcement(in line: ArraySlice<UInt8>) -> UInt16? {
        guard let phrase = phrases.first(where: { line.starts(with: $0) }) else { return nil }
        // A path or a remark may follow the authority (RFC 3986 §3.2).
        let authority = line.dropFirst(phrase.count).prefix { $0 != UInt8(ascii: "/") && $0 > 0x20 }
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        guard isHost(authority[..<colon]) else { return nil }
        let digits = authority[(colon + 1)...]
        guard (1...5).contains(digits.count), digits.allSatisfy({ isDigit($0) }) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return number == 0 ? nil : UInt16(exactly: number)
    }

    /// A name or address, or an IPv6 address in brackets.
    private static func isHost(_ host: ArraySlice<UInt8>) -> Bool {
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]"), host.count > 2 {
            return host.dropFirst().dropLast().allSatisfy {
                isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
        }
        return !host.isEmpty
            && host.allSatisfy {
                isDigit($0) || isLetter($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
