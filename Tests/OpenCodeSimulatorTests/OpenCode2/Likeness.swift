// SPDX-License-Identifier: Apache-2.0

@testable import opencode_simulator

/// Compares a response of the simulator with the recorded response, ignoring identifiers and times.
///
/// The members and their order must be the same. Texts and numbers that describe something must be equal. Texts and
/// numbers that depend on a machine, a model or a moment must only be of the same kind.
struct Likeness {
    /// Whether the recorded text is only the beginning of the original text, so that the actual text may be longer.
    let isTruncated: Bool

    /// The members whose text depends on the model, the catalogue or chance.
    private static let free: Set<String> = [
        "text", "title", "ticket", "previous", "next", "providerID", "patch", "summary", "recent",
    ]
    /// The members whose numbers are the same in every recording.
    private static let counted: Set<String> = ["expires_in", "ordinal", "attempt", "version"]
    /// The objects whose member names are data.
    private static let maps: Set<String> = ["models", "providers", "agents", "paths"]

    /// Returns the differences between two values, one line for each position.
    func differences(_ value: JSON, from expected: JSON, at path: String = "", name: String = "") -> [String] {
        switch (value, expected) {
        case (.object(let members), .object(let others)): return compare(members, others, path, name)
        case (.array(let elements), .array(let others)): return compare(elements, others, path, name)
        case (.string(let text), .string(let other)):
            let isLike = isTruncated || Self.free.contains(name) || Self.normal(text) == Self.normal(other)
            return isLike ? [] : ["\(path): “\(text)” instead of “\(other)”"]
        case (.integer, .integer) where Self.counted.contains(name), (.bool, .bool):
            return value == expected ? [] : ["\(path): \(value.encoded) instead of \(expected.encoded)"]
        default: return value.shape == expected.shape ? [] : ["\(path): \(value.shape) instead of \(expected.shape)"]
        }
    }

    private func compare(_ members: [JSON.Member], _ others: [JSON.Member], _ path: String, _ name: String) -> [String]
    {
        let isMap = Self.maps.contains(name) || (members + others).contains { $0.name.hasPrefix("ses_") }
        if isMap { return compare(members.map(\.value), others.map(\.value), "\(path){}", "") }
        let (names, expected) = (members.map(\.name), others.map(\.name))
        let isWhole = isTruncated ? names.starts(with: expected) : names == expected
        guard isWhole else { return ["\(path): \(names) instead of \(expected)"] }
        return zip(members, others).flatMap {
            differences($0.value, from: $1.value, at: "\(path).\($1.name)", name: $1.name)
        }
    }

    /// Compares two lists. The recording kept one element of each form from long lists. Therefore each actual element
    /// must match a recorded element, and each recorded element must match an actual element.
    private func compare(_ elements: [JSON], _ others: [JSON], _ path: String, _ name: String) -> [String] {
        if elements.isEmpty != others.isEmpty {
            return ["\(path): \(elements.count) elements instead of \(others.count)"]
        }
        let more =
            isTruncated
            ? []
            : others.flatMap { other in
                unlike(other, elements.map { differences($0, from: other, at: "\(path)[missing]", name: name) })
            }
        if isTruncated, let first = elements.first, let other = others.first {
            return differences(first, from: other, at: "\(path)[0]", name: name)
        }
        return more
            + elements.flatMap { element in
                unlike(element, others.map { differences(element, from: $0, at: "\(path)[]", name: name) })
            }
    }

    /// Returns the shortest result of the comparisons. It is empty if one of the comparisons found no difference.
    private func unlike(_ element: JSON, _ comparisons: [[String]]) -> [String] {
        comparisons.min { $0.count < $1.count } ?? []
    }

    /// Returns a text without the identifiers that differ between runs.
    static func normal(_ text: String) -> String {
        if text.wholeMatch(of: /[0-9a-f]{40}/) != nil { return "HASH" }
        return text.replacing(/\b([a-z]{2,4})_[0-9A-Za-z]{13,}/) { "\($0.output.1)_ID" }
            .replacing(/worktree\/[0-9a-f]{6}\//, with: "worktree/HASH/")
            .replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:PORT")
    }
}
