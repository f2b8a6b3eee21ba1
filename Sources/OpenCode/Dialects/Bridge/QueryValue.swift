// SPDX-License-Identifier: Apache-2.0

/// The kinds of values that OpenCode 1 accepts for a query parameter.
enum QueryValue {
    case words([String])
    case identifier(String)
    case number
    case count(from: Int, upTo: Int = 9_007_199_254_740_991)

    fileprivate func fits(_ value: String) -> Bool {
        switch self {
        case .words(let words): words.contains(value)
        case .identifier(let beginning): value.hasPrefix(beginning)
        case .number: Double(value)?.isFinite == true
        case .count(let least, let most): Int(value).map { (least...most).contains($0) } ?? false
        }
    }

    fileprivate var words: String {
        switch self {
        case .words(let words): words.map { "\"\($0)\"" }.joined(separator: " | ")
        case .identifier(let beginning): "a string starting with \"\(beginning)\""
        case .number: "a number"
        case .count(let least, _): "a number of at least \(least)"
        }
    }
}

extension ClientRequest {
    /// Returns the error for the first value that OpenCode 1 would reject; nil if all values are valid.
    func wrong(_ values: [(name: String, value: QueryValue)]) -> ClientAnswer? {
        for (name, value) in values {
            guard let text = self[name], !value.fits(text) else { continue }
            return Refusals.bad("Expected \(value.words)\n  at [\"\(name)\"]", kind: "Query")
        }
        return nil
    }
}
