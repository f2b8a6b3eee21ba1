// SPDX-License-Identifier: Apache-2.0

/// Finds the known word that a user probably mistyped.
enum NearestWord {
    /// Returns the candidate with the fewest typing mistakes; nil if no candidate is similar to `word`.
    static func find(_ word: String, among candidates: [String]) -> String? {
        // A long word was probably pasted by mistake, so skip the quadratic comparison.
        guard word.utf8.count <= 64 else { return nil }
        let ranked = candidates.map { (candidate: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(1, min(3, best.candidate.utf8.count / 3))
        else { return nil }
        return best.candidate
    }

    /// Returns the text after the colon of a sentence about an unknown word. The text is a question that contains a
    /// similar candidate. If there is no similar candidate, the text is `fallback`.
    static func hint(_ word: String, among candidates: [String], else fallback: String) -> String {
        find(word, among: candidates).map { "did you mean \($0)?" } ?? "\(fallback)."
    }

    /// Counts insertions, deletions, substitutions and swaps of adjacent bytes (optimal string alignment distance).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [Array(0...right.count)]
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var cost = min(rows[i][j] + (left[i] == right[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, rows[i - 1][j - 1] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
