internal import JSONText
internal import TextCoding

/// Places in OpenCode 2's lists of messages: base64url of `{"id","order","direction"}`, as 2.0.15 gives them.
enum Cursors {
    /// The messages behind one, in that order.
    static func after(_ id: String, order: String) -> String {
        let place: JSON = ["id": .string(id), "order": .string(order), "direction": "next"]
        return Base64Encoding.encode(place.bytes, isForAddresses: true)
    }
}
