// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Runs the black-box HTTP tests with the released program and with the libraries of each Debian release.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLongLabThreads) struct BlackBoxTests {
    /// The folders of Tests/GatewayTests whose tests concern HTTP. The other folders test processes, files and
    /// settings, which do not depend on the libraries that differ.
    private static let folders = ["ClientFlow", "Contract", "Directories", "Front", "Upstream"]

    @Test(arguments: LabRoot.allCases) func `the released gateway passes the black-box HTTP tests`(_ root: LabRoot)
        throws
    {
        let bundle = try FileTree.resolve("/proc/self/exe")
        let machine = try LabMachine(
            root, options: ["--bind-ro=\(Lab.checkout)", "--bind-ro=\(try Self.runtimeLibraries())"])
        let outcome = try machine.run(
            "exec \(bundle) --testing-library swift-testing --filter '\(try Self.filter())'",
            environment: [
                "VIBEREMOTE_TEST_PROGRAMS": "\(Lab.checkout)/.build/dist",
                // As in scripts/run-tests.sh, because the tests mostly wait.
                "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "8",
            ],
            // The gateway prevents other processes of its user from inspecting it (prctl(2), PR_SET_DUMPABLE). These
            // tests count its descriptors in /proc.
            capabilities: ["dac_read_search", "sys_ptrace"], check: false, within: .seconds(600))
        let lines = outcome.output.split(separator: "\n") + outcome.error.split(separator: "\n")
        let summary = lines.last { $0.contains("Test run with") }
        print("\(root.rawValue): \(summary ?? "no summary")")
        // Keep only the failures, because the whole output has thousands of lines.
        let (isSuccess, failures) = (outcome.isSuccess, lines.filter { $0.contains("✘") }.joined(separator: "\n"))

        #expect(isSuccess, "\(failures)")
        #expect(summary?.contains(" passed after ") == true)

        let count = summary?.split(separator: " ").compactMap { Int($0) }.first

        #expect(count.map { $0 > 200 } == true)
    }

    /// Returns a filter for these tests. The identity of a test ends with the name of its file, without the folder.
    private static func filter() throws -> String {
        let files = try folders.flatMap { try FileTree.names(in: "\(Lab.checkout)/Tests/GatewayTests/\($0)") }
        return "^GatewayTests\\..*/(\(files.joined(separator: "|"))):"
    }

    /// Returns the folder of the toolchain's libraries, which the tests are linked to.
    private static func runtimeLibraries() throws -> String {
        let maps = String(decoding: try FileTree.contents("/proc/self/maps"), as: UTF8.self)
        let library = maps.split(separator: "\n").first { $0.hasSuffix("/libswiftCore.so") }
        guard let path = library?.split(separator: " ").last, let slash = path.lastIndex(of: "/") else {
            throw LabFailure("the tests are not linked with libswiftCore.so")
        }
        return String(path[..<slash])
    }
}
