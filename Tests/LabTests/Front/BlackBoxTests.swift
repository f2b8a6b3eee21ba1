import TestKit
import Testing

/// The black-box tests of the gateway, with the released program and each Debian's own libraries.
@Suite(.enabled(if: Lab.isReady, Lab.skipped)) struct BlackBoxTests {
    @Test(arguments: LabRoot.allCases) func theReleasedGatewayPassesThem(_ root: LabRoot) throws {
        let bundle = try FileTree.resolve("/proc/self/exe")
        let machine = try LabMachine(
            root, options: ["--bind-ro=\(Lab.checkout)", "--bind-ro=\(try Self.runtimeLibraries())"])
        let outcome = try machine.run(
            "exec \(bundle) --testing-library swift-testing --filter '^GatewayTests\\.'",
            environment: ["VIBEREMOTE_TEST_PROGRAMS": "\(Lab.checkout)/.build/dist"], check: false,
            within: .seconds(600))
        let lines = outcome.output.split(separator: "\n") + outcome.error.split(separator: "\n")
        let summary = lines.last { $0.contains("Test run with") }
        print("\(root.rawValue): \(summary ?? "no summary")")
        #expect(outcome.isSuccess, "\(lines.filter { $0.contains("✘") }.joined(separator: "\n"))")
        #expect(summary?.contains(" passed after ") == true)
        #expect(summary?.contains("run with 0 tests") == false)
    }

    /// Where the toolchain's libraries are that the tests are linked with.
    private static func runtimeLibraries() throws -> String {
        let maps = String(decoding: try FileTree.read("/proc/self/maps"), as: UTF8.self)
        let library = maps.split(separator: "\n").first { $0.hasSuffix("/libswiftCore.so") }
        guard let path = library?.split(separator: " ").last, let slash = path.lastIndex(of: "/") else {
            throw LabFailure("the tests are not linked with libswiftCore.so")
        }
        return String(path[..<slash])
    }
}
