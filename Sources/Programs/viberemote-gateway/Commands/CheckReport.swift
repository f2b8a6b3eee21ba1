// SPDX-License-Identifier: Apache-2.0

/// The results of `check`, line by line.
struct CheckReport {
    /// The severity of a line.
    enum Status: String {
        /// The checked item is correct.
        case good = "ok"
        /// The checked item works, but may be unexpected.
        case note
        /// The checked item would not work.
        case problem = "WRONG"
    }

    private(set) var lines: [String] = []
    /// The number of items that would not work.
    private(set) var problems = 0

    mutating func add(_ status: Status, _ text: String) {
        if status == .problem { problems += 1 }
        let label = status.rawValue + String(repeating: " ", count: 5 - status.rawValue.count)
        lines.append("  \(label)  \(PlainText.line(text))")
    }
}
