import HTTPTypes

/// Fields that are about one connection only and are not passed on (RFC 9110 §7.6.1).
struct HopByHop {
    private let fields: FieldList
    /// Whether `Connection` names further fields, which few messages do.
    private let namesFields: Bool

    /// The rules for one head, whose own `Connection` can name further fields.
    init(_ fields: FieldList) {
        self.fields = fields
        var namesFields = false
        var start = 0
        while let index = fields.firstIndex(of: .connection, from: start) {
            for option in ListElements(fields.value(at: index))
            where !option.equalsIgnoringCase(Token.keepAlive.lowercased) {
                namesFields = true
            }
            start = index + 1
        }
        self.namesFields = namesFields
    }

    /// Whether the field at `index` stays on its own connection.
    func holdsBack(at index: Int) -> Bool {
        fields.knownName(at: index).isHopByHop || namesFields && isNamed(fields.name(at: index))
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
