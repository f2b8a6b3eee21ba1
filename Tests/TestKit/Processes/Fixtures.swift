// SPDX-License-Identifier: Apache-2.0

/// Access to the recorded data in `Tests/Fixtures`.
package enum Fixtures {
    /// Returns the bytes of a fixture. `name` is its path in `Tests/Fixtures`. This directory is located through the
    /// path of the calling test.
    package static func load(_ name: String, from file: String = #filePath) throws -> [UInt8] {
        guard let tests = file.range(ofLast: "/Tests/") else {
            throw TestKitError.unavailable("\(file) is not below Tests: name the fixtures' place in the call")
        }
        return try FileTree.contents("\(file[..<tests.upperBound])Fixtures/\(name)")
    }

    /// Returns the lines of a fixture that has one record per line.
    package static func lines(_ name: String, from file: String = #filePath) throws -> [String] {
        String(decoding: try load(name, from: file), as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

extension String {
    fileprivate func range(ofLast part: String) -> Range<String.Index>? { ranges(of: part).last }
}
