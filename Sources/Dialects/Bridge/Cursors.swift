/// Places in OpenCode 2's lists of messages: base64url of `{"id","order","direction"}`, as 2.0.15 gives them.
enum Cursors {
    /// The messages behind one, in that order.
    static func after(_ id: String, order: String) -> String {
        let place: JSON = ["id": .string(id), "order": .string(order), "direction": "next"]
        return Base64.encode(place.bytes, isForAddresses: true)
    }
}

/// Base64 (RFC 4648): §4 with padding, or §5 without for addresses.
enum Base64 {
    static func encode(_ bytes: [UInt8], isForAddresses: Bool = false) -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let digits = Array((letters + (isForAddresses ? "-_" : "+/")).utf8)
        var text: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0...group.count { text.append(digits[bits >> (18 - 6 * place) & 63]) }
            start += 3
            if !isForAddresses { text += Array(repeating: UInt8(ascii: "="), count: 3 - group.count) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
