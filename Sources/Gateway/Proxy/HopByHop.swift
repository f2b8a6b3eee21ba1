import HTTPTypes

/// Fields that are about one connection only and are not passed on (RFC 9110 §7.6.1).
struct HopByHop {
    /// Options that are looked at; a head that names more than these names them in vain.
    private static let mostOptions = 32

    private let fields: FieldList
    /// What `Connection` names besides `keep-alive`, which always stays: nothing, in most messages.
    private var options: [ArraySlice<UInt8>] = []

    /// The rules for one head, whose own `Connection` can name further fields.
    init(_ fields: FieldList) {
        self.fields = fields
        var start = 0
        while let index = fields.firstIndex(of: .connection, from: start) {
            for option in ListElements(fields.value(at: index))
            where options.count < Self.mostOptions && !option.equalsIgnoringCase(Token.keepAlive.lowercased) {
                options.append(option)
            }
            start = index + 1
        }
    }

    /// Whether the field at `index` stays on its own connection.
    func holdsBack(at index: Int) -> Bool {
        if fields.knownName(at: index).isHopByHop { return true }
        if options.isEmpty { return false }
        let name = fields.name(at: index)
        return options.contains { $0.equalsIgnoringCase(name) }
    }
}
