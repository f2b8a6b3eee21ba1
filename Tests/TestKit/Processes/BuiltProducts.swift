// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The programs of this package that were built together with the running tests.
package enum BuiltProducts {
    /// Returns the path of a program.
    ///
    /// - Throws: `unavailable` if the program was not built.
    ///
    /// The test bundle is an executable in the build directory, next to the programs. This is also true with a
    /// sanitizer or another configuration. A runner that loads the bundle names it in its arguments instead. Programs
    /// in the directory `VIBEREMOTE_TEST_PROGRAMS` take precedence, so that the lab can test the released gateway.
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

    /// Returns the directory of a file. If this directory is a bundle, also returns the parent directory.
    private static func folders(of file: String) -> [String] {
        guard let slash = file.lastIndex(of: "/") else { return [] }
        let folder = String(file[..<slash])
        return folder.hasSuffix(".xctest") ? [folder] + folders(of: folder) : [folder]
    }
}
