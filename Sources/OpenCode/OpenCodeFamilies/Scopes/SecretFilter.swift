// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// Copies JSON text (RFC 8259) without the values that the rules remove.
///
/// The filter validates and copies the text in one pass, without a tree of the values, because the list of all
/// providers has a size of 6 MB (1.18.33).
struct SecretFilter {
    private typealias Failure = SecretRemoval.Failure
    private typealias Position = SecretRules.Position

    private let body: [UInt8]
    private let rules: SecretRules
    private var index = 0
    private var depth = 0
    private var output: [UInt8] = []

    /// Creates a filter for a body in UTF-8.
    init(_ body: [UInt8], _ rules: SecretRules) {
        self.body = body
        self.rules = rules
        output.reserveCapacity(body.count)
    }

    /// Returns the text without the removed values, and without white space between tokens.
    ///
    /// - Throws: ``SecretRemoval/Failure`` if the text is not JSON, or if an object contains a name twice.
    mutating func result() throws(SecretRemoval.Failure) -> [UInt8] {
        skipSpace()
        try value(at: rules.root, isKept: true)
        skipSpace()
        guard index == body.count else { throw .isNotJSON }
        return output
    }

    // MARK: Values

    private var next: UInt8? { index < body.count ? body[index] : nil }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    /// Reads the value at the current position, and copies it if `isKept` is true.
    private mutating func value(at position: SecretRules.Position, isKept: Bool) throws(SecretRemoval.Failure) {
        let start = index
        switch next {
        case UInt8(ascii: "\""):
            let hasEscapes = try string()
            if isKept { try copyText(start..<index, hasEscapes: hasEscapes, at: position) }
            return
        case UInt8(ascii: "{"):
            try nested { filter throws(SecretRemoval.Failure) in try filter.object(at: position, isKept: isKept) }
            return
        case UInt8(ascii: "["):
            try nested { filter throws(SecretRemoval.Failure) in try filter.array(at: position, isKept: isKept) }
            return
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
        if isKept { output += body[start..<index] }
    }

    private mutating func nested(
        _ read: (inout SecretFilter) throws(SecretRemoval.Failure) -> Void
    ) throws(SecretRemoval.Failure) {
        guard depth < JSONParser.deepest else { throw .isNotJSON }
        index += 1
        depth += 1
        skipSpace()
        try read(&self)
        depth -= 1
    }

    private mutating func array(
        at position: SecretRules.Position, isKept: Bool
    ) throws(SecretRemoval.Failure) {
        let elements = rules.elements(of: position)
        let isCopied = isKept && elements != nil
        if isKept { output.append(UInt8(ascii: "[")) }
        if !consume("]") {
            while true {
                skipSpace()
                try value(at: elements ?? .unrestricted, isKept: isCopied)
                skipSpace()
                if consume("]") { break }
                guard consume(",") else { throw .isNotJSON }
                if isCopied { output.append(UInt8(ascii: ",")) }
            }
        }
        if isKept { output.append(UInt8(ascii: "]")) }
    }

    private mutating func object(
        at position: SecretRules.Position, isKept: Bool
    ) throws(SecretRemoval.Failure) {
        let isCopied = isKept && !rules.clearsObject(position)
        if isKept { output.append(UInt8(ascii: "{")) }
        var names = NameSet()
        var isFirst = true
        if !consume("}") {
            while true {
                skipSpace()
                let start = index
                guard next == UInt8(ascii: "\"") else { throw .isNotJSON }
                let hasEscapes = try string()
                let text = start..<index
                let name = hasEscapes ? try decoded(text)[...] : body[text].dropFirst().dropLast()
                guard names.insert(name) else { throw .repeatsName }
                skipSpace()
                guard consume(":") else { throw .isNotJSON }
                skipSpace()
                let member = isCopied ? rules.member(name, of: position, isPlain: isPlain) : nil
                if member != nil {
                    if !isFirst { output.append(UInt8(ascii: ",")) }
                    isFirst = false
                    output += body[text]
                    output.append(UInt8(ascii: ":"))
                }
                try value(at: member ?? .unrestricted, isKept: member != nil)
                skipSpace()
                if consume("}") { break }
                guard consume(",") else { throw .isNotJSON }
            }
        }
        if isKept { output.append(UInt8(ascii: "}")) }
    }

    /// Whether the next value is a number, a Boolean or null, provided that the value is valid.
    private var isPlain: Bool {
        switch next {
        case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["): false
        default: true
        }
    }

    // MARK: Words, numbers and texts

    private mutating func word(_ word: StaticString) throws(SecretRemoval.Failure) {
        let end = index + word.utf8CodeUnitCount
        guard end <= body.count, body[index..<end].elementsEqual(word.description.utf8) else { throw .isNotJSON }
        index = end
    }

    private mutating func number() throws(SecretRemoval.Failure) {
        _ = consume("-")
        let digits = index
        guard skipDigits(), index == digits + 1 || body[digits] != UInt8(ascii: "0") else { throw .isNotJSON }
        if consume("."), !skipDigits() { throw .isNotJSON }
        if consume("e") || consume("E") {
            if !consume("+") { _ = consume("-") }
            guard skipDigits() else { throw .isNotJSON }
        }
    }

    private mutating func skipDigits() -> Bool {
        let start = index
        while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
        return index > start
    }

    /// Skips the string at the current position, and validates its escapes. Returns whether the string contains
    /// escapes.
    private mutating func string() throws(SecretRemoval.Failure) -> Bool {
        index += 1
        var hasEscapes = false
        while let byte = next {
            index += 1
            if byte == UInt8(ascii: "\"") { return hasEscapes }
            guard byte >= 0x20 else { throw .isNotJSON }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                try escape()
            }
        }
        throw .isNotJSON
    }

    /// Skips the remainder of an escape after the backslash (RFC 8259 §7).
    private mutating func escape() throws(SecretRemoval.Failure) {
        let kind = next
        index += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "u"):
            guard index + 4 <= body.count, body[index..<index + 4].allSatisfy({ $0.hexadecimalDigitValue != nil })
            else { throw .isNotJSON }
            index += 4
        default: throw .isNotJSON
        }
    }

    /// Copies a string, or the part of the string that the rules keep.
    private mutating func copyText(
        _ text: Range<Int>, hasEscapes: Bool, at position: SecretRules.Position
    ) throws(SecretRemoval.Failure) {
        if rules.isUnrestricted(position) {
            output += body[text]
        } else if rules.keepsOrigin(position) {
            guard hasEscapes else {
                output.append(UInt8(ascii: "\""))
                output += SecretRules.origin(of: body[text].dropFirst().dropLast())
                output.append(UInt8(ascii: "\""))
                return
            }
            let origin = SecretRules.origin(of: try decoded(text)[...])
            output.append(jsonString: String(decoding: origin, as: UTF8.self))
        } else {
            output += Array(#""""#.utf8)
        }
    }

    /// Returns the decoded content of a string, without the string's quotes.
    private func decoded(_ text: Range<Int>) throws(SecretRemoval.Failure) -> [UInt8] {
        guard let content = JSONParser.parse(Array(body[text]))?.text else { throw .isNotJSON }
        return Array(content.utf8)
    }
}

/// A set of an object's member names. The names of small objects, which are the most common, are compared directly.
private struct NameSet {
    private var few: [ArraySlice<UInt8>] = []
    private var many: Set<ArraySlice<UInt8>> = []

    /// Adds a name. Returns false if the set already contains the name.
    mutating func insert(_ name: ArraySlice<UInt8>) -> Bool {
        if !many.isEmpty { return many.insert(name).inserted }
        guard !few.contains(where: { $0 == name }) else { return false }
        few.append(name)
        if few.count > 16 { many = Set(few) }
        return true
    }
}
