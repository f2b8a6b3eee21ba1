// SPDX-License-Identifier: Apache-2.0

internal import Access
internal import Encodings
internal import Projects

/// Checks the values of requested keys.
enum KeyValues {
    /// The maximum length of a name in characters. A longer name would not fit into a line of the list.
    private static let longestName = 64
    /// The maximum length of an identity in characters. An e-mail address has at most 254 (RFC 5321 §4.5.3).
    private static let longestIdentity = 256
    /// The maximum length of a remark in characters.
    private static let longestNote = 500
    /// The maximum number of projects of a key that is not valid for all projects.
    private static let mostProjects = 100
    /// The valid times until a key or a previous secret expires.
    private static let lifetimes = Duration.seconds(1)...(.seconds(3_650 * 86_400))

    static func name(_ text: String) throws(KeyRefusal) -> String {
        try check(text, .name, longest: longestName)
        guard !namesAdministrator(text) else {
            throw .invalid(.name, "choose a name that does not denote an administrator's key")
        }
        return text
    }

    /// Returns whether the log and the list of keys use a name for an administrator's secret: the variable of the
    /// settings, a line of the key file, or the command line without a running gateway.
    private static func namesAdministrator(_ name: String) -> Bool {
        let isLineOfFile = name.hasPrefix("/") && name.contains(#/, line [0-9]+$/#)
        return isLineOfFile || ["vibe_auth_secret", KeyCaller.commandLine.name].contains(name.lowercased())
    }

    static func identity(_ text: String?) throws(KeyRefusal) -> String? {
        guard let text, !text.isEmpty else { return nil }
        try check(text, .identity, longest: longestIdentity)
        return text
    }

    static func note(_ text: String?) throws(KeyRefusal) -> String? {
        guard let text, !text.isEmpty else { return nil }
        try check(text, .note, longest: longestNote)
        return text
    }

    static func projects(_ names: [String]?) throws(KeyRefusal) -> Set<String>? {
        guard let names else { return nil }
        // A list without names would open nothing, but the caller may mean "all".
        guard !names.isEmpty else { throw .invalid(.projects, "name a project, or omit the list for all projects") }
        guard names.count <= mostProjects else { throw .invalid(.projects, "name at most \(mostProjects) projects") }
        for name in names where ProjectName(name) == nil {
            throw .invalid(.projects, "use the names of the projects' directories")
        }
        return Set(names)
    }

    static func limits(_ limits: KeyLimits) throws(KeyRefusal) -> KeyLimits {
        KeyLimits(rate: limits.rate, streams: try streams(limits.streams), exempt: limits.exempt)
    }

    static func streams(_ count: Int?) throws(KeyRefusal) -> Int? {
        guard count.map(KeyLimits.streamRange.contains) ?? true else { throw .invalid(.streams, streamsAdvice) }
        return count
    }

    /// The advice for an invalid number of streams.
    static let streamsAdvice =
        "use a whole number from \(KeyLimits.streamRange.lowerBound) to \(KeyLimits.streamRange.upperBound), or none"

    /// Returns the time at which a key expires, in milliseconds since 1970.
    static func expiry(_ lifetime: Duration?, from now: Int64) throws(KeyRefusal) -> Int64? {
        try time(lifetime, from: now, .expires)
    }

    /// Returns the time at which a previous secret ends, in milliseconds since 1970; nil if it ends at once.
    static func end(ofOldSecretAfter time: Duration?, from now: Int64) throws(KeyRefusal) -> Int64? {
        try self.time(time == .zero ? nil : time, from: now, .keepOld)
    }

    private static func time(
        _ lifetime: Duration?, from now: Int64, _ value: KeyRefusal.Value
    ) throws(KeyRefusal) -> Int64? {
        guard let lifetime else { return nil }
        guard lifetimes.contains(lifetime) else {
            let (first, last) = (lifetimes.lowerBound.text(.setting), lifetimes.upperBound.text(.setting))
            throw .invalid(value, "use a time from \(first) to \(last)")
        }
        return now + lifetime.milliseconds
    }

    private static func check(_ text: String, _ value: KeyRefusal.Value, longest: Int) throws(KeyRefusal) {
        guard (1...longest).contains(text.count), text.utf8.count <= 4 * longest else {
            throw .invalid(value, "use 1 to \(longest) characters")
        }
        // A control character could break a line of the log or of the list, and a space at an end is not visible.
        let hasControl = text.unicodeScalars.contains {
            $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
                || $0.properties.generalCategory == .lineSeparator
                || $0.properties.generalCategory == .paragraphSeparator
        }
        // Programs replace bytes that are not UTF-8 with this character, so different texts could become equal.
        guard !text.unicodeScalars.contains("\u{FFFD}") else { throw .invalid(value, "use valid UTF-8") }
        // Lists and the log would contain the secret.
        guard !KeyToken.isContained(in: text) else {
            throw .invalid(value, "use a text that does not contain a key (vr_…)")
        }
        guard !hasControl, text.first?.isWhitespace == false, text.last?.isWhitespace == false else {
            throw .invalid(value, "use no control characters, and no space at the beginning or the end")
        }
    }
}
