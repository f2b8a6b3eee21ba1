/// Which keys the gateway accepts to be configured with.
package enum KeyPolicy {
    /// The shortest key, bytes.
    package static let minimumLength = 16
    /// The default of the gateway's predecessor, which everybody knows.
    package static let publicDefault = "change-me-in-production"

    /// Why `key` can't be used, as a sentence that says how to make a good one; nil when it can. It never repeats the
    /// key.
    package static func refusal(of key: String) -> String? {
        let advice = "make one with `openssl rand -hex 32`"
        if key.isEmpty { return "No key is set: \(advice)." }
        if key == publicDefault { return "The key is the published default `\(publicDefault)`: \(advice)." }
        if key.utf8.count < minimumLength {
            return "The key is shorter than \(minimumLength) bytes: \(advice)."
        }
        // Neither a Bearer token nor a Basic password can carry these (RFC 9110 §5.5).
        if key.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) || key.utf8.first == 0x20 || key.utf8.last == 0x20 {
            return
                "The key begins or ends with a space or holds control characters, which no client can send: \(advice)."
        }
        return nil
    }
}
