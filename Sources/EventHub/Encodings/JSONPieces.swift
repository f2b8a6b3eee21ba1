import JSONText

extension [UInt8] {
    /// Adds a piece of JSON as it stands there.
    mutating func append(_ json: borrowing Span<UInt8>, _ range: Range<Int>) {
        reserveCapacity(count + range.count)
        for index in range { append(json[index]) }
    }

    /// Adds a JSON string, quotes included.
    mutating func append(jsonText text: [UInt8]) { append(jsonString: String(decoding: text, as: UTF8.self)) }
}
