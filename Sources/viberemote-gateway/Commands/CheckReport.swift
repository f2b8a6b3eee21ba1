/// What `check` has found, line by line.
struct CheckReport {
    /// What a line says about a thing.
    enum Mark: String {
        /// It is as it must be.
        case good = "ok"
        /// It works; it may surprise.
        case note
        /// It would not work.
        case problem = "WRONG"
    }

    private(set) var lines: [String] = []
    /// How many things would not work.
    private(set) var problems = 0

    mutating func add(_ mark: Mark, _ text: String) {
        if mark == .problem { problems += 1 }
        let label = mark.rawValue + String(repeating: " ", count: 5 - mark.rawValue.count)
        lines.append("  \(label)  \(PlainText.line(text))")
    }
}
