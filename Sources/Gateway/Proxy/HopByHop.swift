import HTTPTypes

/// Fields that are about one connection only and are not passed on (RFC 9110 §7.6.1).
struct HopByHop {
    private static let always: [FieldName] = [
        FieldName("connection"), FieldName("keep-alive"), FieldName("proxy-connection"), FieldName("te"),
        FieldName("trailer"), FieldName("transfer-encoding"), FieldName("upgrade"), FieldName("proxy-authenticate"),
        FieldName("proxy-authorization"),
    ]

    private let fields: FieldList
    /// Whether `Connection` names anything at all, which few messages do.
    private let hasOptions: Bool

    /// The rules for one head, whose own `Connection` can name further fields.
    init(_ fields: FieldList) {
        self.fields = fields
        hasOptions = fields.firstIndex(of: .connection) != nil
    }

    /// Whether the field at `index` stays on its own connection.
    func holdsBack(at index: Int) -> Bool {
        switch fields.name(at: index).first?.lowercasedLetter {
        case UInt8(ascii: "c"), UInt8(ascii: "k"), UInt8(ascii: "p"), UInt8(ascii: "t"), UInt8(ascii: "u"):
            if Self.always.contains(where: { fields.isName(at: index, $0) }) { return true }
        default: break
        }
        return hasOptions && isNamed(fields.name(at: index))
    }

    private func isNamed(_ name: ArraySlice<UInt8>) -> Bool {
        var start = 0
        while let index = fields.firstIndex(of: .connection, from: start) {
            if ListElements(fields.value(at: index)).contains(where: { $0.equalsIgnoringCase(name) }) { return true }
            start = index + 1
        }
        return false
    }
}
