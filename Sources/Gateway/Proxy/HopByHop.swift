import HTTPTypes

/// Fields that are about one connection only and are not passed on (RFC 9110 §7.6.1).
struct HopByHop {
    /// Options that are looked at; a head that names more than these names them in vain.
    private static let mostOptions = 32

    /// What `Connection` names besides `keep-alive`, which always stays: nothing, in most messages.
    private var options: [[UInt8]] = []

    /// The rules for one head, whose own `Connection` can name further fields.
    init(_ fields: FieldList) {
        _ = fields.hasElement(in: .connection) { option in
            if !Token.keepAlive.isSpelt(option) {
                var copy: [UInt8] = []
                copy.append(option)
                options.append(copy)
            }
            return options.count == Self.mostOptions
        }
    }

    /// Whether a field of that head stays on its own connection.
    func holdsBack(_ field: FieldName, _ spelling: Span<UInt8>) -> Bool {
        if field.isHopByHop { return true }
        for option in options where option.span.equalsIgnoringCase(spelling) { return true }
        return false
    }
}
