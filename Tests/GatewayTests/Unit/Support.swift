import HTTPTypes

extension FieldList {
    /// These fields in this order.
    init(_ fields: KeyValuePairs<String, String>) {
        self.init()
        for (name, value) in fields { append(name, value) }
    }

    /// Each field as `Name: value`, in order.
    var lines: [String] {
        (0..<count).map {
            "\(String(decoding: name(at: $0), as: UTF8.self)): \(String(decoding: value(at: $0), as: UTF8.self))"
        }
    }
}
