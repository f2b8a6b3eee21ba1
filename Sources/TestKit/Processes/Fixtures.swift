/// Recorded data in `Tests/Fixtures`.
package enum Fixtures {
    /// The bytes of a fixture, by its path below `Tests/Fixtures`. Found from the calling test's own place in the
    /// sources.
    package static func read(_ name: String, from file: String = #filePath) throws -> [UInt8] {
        guard let tests = file.range(ofLast: "/Tests/") else {
            throw TestKitError.unavailable("\(file) is not below Tests: name the fixtures' place in the call")
        }
        return try FileTree.read("\(file[..<tests.upperBound])Fixtures/\(name)")
    }

    /// The lines of a fixture that has one record a line.
    package static func lines(_ name: String, from file: String = #filePath) throws -> [String] {
        String(decoding: try read(name, from: file), as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

extension String {
    fileprivate func range(ofLast part: String) -> Range<String.Index>? { ranges(of: part).last }
}
