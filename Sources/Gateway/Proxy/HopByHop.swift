import HTTPTypes

/// Fields that are about one connection only and are not passed on (RFC 9110 §7.6.1).
struct HopByHop {
    private static let always: [FieldName] = [
        FieldName("connection"), FieldName("keep-alive"), FieldName("proxy-connection"), FieldName("te"),
        FieldName("trailer"), FieldName("transfer-encoding"), FieldName("upgrade"), FieldName("proxy-authenticate"),
        FieldName("proxy-authorization"),
    ]

    /// First letters of the names above: most fields are let through after one comparison.
    private static let initials = Set(always.compactMap(\.lowercased.first))

    private var named: [[UInt8]] = []

    /// Learns which further fields the head's own `Connection` names.
    init(_ fields: FieldList) {
        var start = 0
        while let index = fields.firstIndex(of: .connection, from: start) {
            for element in ListElements(fields.value(at: index)) { named.append(element.map(\.lowercasedLetter)) }
            start = index + 1
        }
    }

    /// Whether the field at `index` stays on its own connection.
    func holdsBack(_ fields: FieldList, at index: Int) -> Bool {
        let name = fields.name(at: index)
        if let initial = name.first?.lowercasedLetter, Self.initials.contains(initial),
            Self.always.contains(where: { fields.isName(at: index, $0) })
        {
            return true
        }
        return !named.isEmpty && named.contains { name.equalsIgnoringCase($0) }
    }
}
