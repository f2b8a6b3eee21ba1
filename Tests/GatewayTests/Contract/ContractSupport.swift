// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension GatewayUnderTest {
    /// Expects exactly this status and body for one request with the key.
    func expect(
        _ method: String, _ target: String, _ status: Int, _ body: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try request(method, target)
        #expect(answer.status == status, sourceLocation: sourceLocation)
        #expect(answer.text == body, sourceLocation: sourceLocation)
    }
}

/// The files that are shipped with the program.
enum Shipped {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the text of a file of the repository.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Returns all files below these folders, by their paths from the root.
    static func files(in folders: [String]) -> [String] {
        folders.flatMap { folder in
            let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            return (paths?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
        }
    }
}
