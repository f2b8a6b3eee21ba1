import Glibc

/// The programs of this package, as built together with the tests that are running.
package enum BuiltProducts {
    /// The path of a program; throws `unavailable` when it is not built.
    ///
    /// The test bundle is an executable in the build's own directory, next to the programs, also with a sanitizer or
    /// another configuration. A runner that loads the bundle names it in its arguments instead. Programs in the folder
    /// that `VIBEREMOTE_TEST_PROGRAMS` names come first: so the lab has the released gateway tested.
    package static func path(_ program: String) throws -> String {
        let chosen = getenv("VIBEREMOTE_TEST_PROGRAMS").map { [String(cString: $0)] } ?? []
        let candidates = chosen + ([executable] + CommandLine.arguments).compactMap { $0 }.flatMap(folders)
        for folder in candidates {
            let path = "\(folder)/\(program)"
            if access(path, X_OK) == 0 { return path }
        }
        throw TestKitError.unavailable(
            "\(program) is not next to the running tests: build it first (swift build --product \(program))")
    }

    private static var executable: String? { try? FileTree.resolve("/proc/self/exe") }

    /// The folder of a file, and the one above it when that is a bundle.
    private static func folders(of file: String) -> [String] {
        guard let slash = file.lastIndex(of: "/") else { return [] }
        let folder = String(file[..<slash])
        return folder.hasSuffix(".xctest") ? [folder] + folders(of: folder) : [folder]
    }
}
