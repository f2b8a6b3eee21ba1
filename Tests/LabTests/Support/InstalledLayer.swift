// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// The changes that `deploy/install.sh` makes to a machine's files, created once for all tests. A machine boots on this
/// layer in a second.
final class InstalledLayer: Sendable {
    /// The folder on which machines boot.
    let folder: String
    /// The output of the installer.
    let transcript: String
    private let parent: TemporaryDirectory

    private init(_ root: LabRoot, _ scope: LabScope) throws {
        // Keep the layer on the disk, because the machine's memory is for running processes.
        parent = try TemporaryDirectory(prefix: "viberemote-layer")
        folder = "\(parent.path)/layer"
        let machine = try LabMachine(root, keep: folder)
        try machine.installOpenCode()
        transcript = try machine.install(
            "--listen 127.0.0.1:4000" + (scope == .system ? " --system" : ""), as: scope.admin)
        try machine.shutDown()
    }

    private static let made = Monitor<[String: Result<InstalledLayer, any Error>]>([:])

    /// Returns the layer of a root file system. The first caller creates the layer while the others wait.
    static func of(_ root: LabRoot, _ scope: LabScope = .user) throws -> InstalledLayer {
        try made.withLock { made in
            let name = "\(root) \(scope)"
            if let result = made[name] { return try result.get() }
            let result = Result { try InstalledLayer(root, scope) }
            made[name] = result
            return try result.get()
        }
    }
}

extension LabMachine {
    /// Boots a machine on which the gateway was installed for vibe, and waits until the gateway has started.
    static func withGateway(_ root: LabRoot, _ scope: LabScope = .user) throws -> LabMachine {
        let machine = try LabMachine(root, on: try InstalledLayer.of(root, scope).folder)
        try eventually("the gateway to be up", within: .seconds(30)) {
            let answer = try? machine.request("GET", "/health")
            return (answer?.status == 200, "\(String(describing: answer?.status))")
        }
        return machine
    }

    /// Installs the OpenCode simulator in the place that OpenCode's own installer uses.
    func installOpenCode() throws {
        try run(
            "mkdir -p ~/.opencode/bin && cp \(Lab.checkoutInside)/.build/dist/opencode-simulator ~/.opencode/bin/opencode"
        )
    }

    /// Runs the installer as vibe, and returns its output.
    @discardableResult
    func install(_ options: String = "", as user: User = .vibe, check: Bool = true) throws -> String {
        let outcome = try run("\(Lab.checkoutInside)/deploy/install.sh \(options) 2>&1", as: user, check: check)
        return outcome.output
    }
}
