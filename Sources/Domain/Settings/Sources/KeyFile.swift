// SPDX-License-Identifier: Apache-2.0

/// A key of the gateway with its name in the log.
package struct NamedKey: Sendable, Equatable {
    /// The name, which is `VIBE_AUTH_SECRET` or the key file's path with the line number. The name is not secret.
    package let name: String
    /// The key itself, masked when printed.
    package let secret: Secret

    /// Creates a key with this name.
    package init(name: String, secret: Secret) {
        self.name = name
        self.secret = secret
    }
}

/// Parses a key file, which contains one key on each line. Empty lines and lines that begin with `#` are ignored.
///
/// Several keys allow the replacement of a key without an interruption: add the new key, reload, change the clients,
/// remove the old key, and reload.
enum KeyFile {
    /// The maximum number of keys. The gateway compares each request's key with all valid keys.
    static let limit = 100

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Parses the content of the file at `path`. Every key must meet the requirements for a key from the environment.
    static func parse(_ bytes: [UInt8], path: String) throws(SettingError) -> [NamedKey] {
        guard !bytes.starts(with: byteOrderMark) else {
            throw SettingError("\(path) begins with a byte order mark: save it as UTF-8 without one.")
        }
        var keys: [NamedKey] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, raw) in lines.enumerated() {
            let line = raw.last == UInt8(ascii: "\r") ? raw.dropLast() : raw
            // A line of spaces and tabs looks like an empty line, so ignore both.
            if line.first == UInt8(ascii: "#")
                || line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
            {
                continue
            }
            let name = "\(path), line \(index + 1)"
            guard let text = String(validating: line, as: UTF8.self) else {
                throw SettingError("\(name) is not UTF-8 text: \(fix).")
            }
            do {
                keys.append(NamedKey(name: name, secret: try KeyPolicy.parse(text)))
            } catch {
                throw SettingError("\(name) \(error.problem): \(fix).")
            }
        }
        guard !keys.isEmpty else { throw SettingError("\(path) contains no key: \(fix).") }
        guard keys.count <= limit else {
            throw SettingError("\(path) contains more than \(limit) keys: remove unused keys.")
        }
        return keys
    }

    private static let fix = "write one key on each line, created with `openssl rand -hex 32`"
}
