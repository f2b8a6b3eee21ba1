import HTTPTypes

/// What an instance says of how long it lets a connection rest: `Keep-Alive: timeout=5` (RFC 2068 §19.7.1.1; OpenCode 2 says so on
/// every answer).
enum KeepAliveField {
    /// What is left of that time for a request to arrive in, and for this side's clock to be behind the other one's.
    private static let margin = Duration.seconds(1)
    /// More would be no limit.
    private static let mostDigits = 9

    /// For how long a connection may be used again after its last request was sent; nil where nothing is said.
    static func longestRest(_ fields: FieldList) -> Duration? {
        var shortest: Duration?
        var start = 0
        while let index = fields.firstIndex(of: .keepAlive, from: start) {
            for element in ListElements(fields.value(at: index)) {
                guard let seconds = timeout(element) else { continue }
                let rest = max(.zero, .seconds(seconds) - margin)
                shortest = min(shortest ?? rest, rest)
            }
            start = index + 1
        }
        return shortest
    }

    /// The number of a `timeout=N`.
    private static func timeout(_ element: ArraySlice<UInt8>) -> Int64? {
        guard let equals = element.firstIndex(of: UInt8(ascii: "=")),
            element[..<equals].trimmingOptionalWhiteSpace().equalsIgnoringCase(name)
        else { return nil }
        let digits = element[(equals + 1)...].trimmingOptionalWhiteSpace()
        guard digits.count <= mostDigits, let number = ContentLength.parse(digits) else { return nil }
        return Int64(number)
    }

    private static let name = Array("timeout".utf8)
}
