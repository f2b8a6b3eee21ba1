// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests the information that is accessible to other users of the machine. It must contain neither provider keys nor
/// passwords nor the clients' key.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct SecrecyTests {
    private static let providerKey = "sk-provider-0123456789"

    @Test(arguments: LabRoot.allCases, LabScope.allCases)
    func `no secret is visible to another user or in the journal`(_ root: LabRoot, _ scope: LabScope) throws {
        let machine = try LabMachine.withGateway(root, scope)
        try machine.write("PROVIDER_KEY=\(Self.providerKey)\n", to: "/home/vibe/.config/opencode/env", mode: 0o600)
        try machine.makeProject("alpha")
        try machine.start(project: "alpha")
        let pid = try #require(try machine.status("alpha").pid)
        let environment = try machine.environment(of: pid)

        #expect(environment["PROVIDER_KEY"] == Self.providerKey)

        let password = try #require(environment["OPENCODE_SERVER_PASSWORD"])

        // The agent receives none of the gateway's own variables.
        #expect(environment.filter { $0.key.hasPrefix("VIBE_") } == [:])

        let secrets = [Self.providerKey, password, try machine.key()]
        let gateway = try machine.output(
            "systemctl \(scope.option) show --value -p MainPID viberemote-gateway", as: scope.admin)

        // Collects all information about the units that systemd gives to an authorized caller.
        let asOwner = try machine.run(
            """
            systemctl \(scope.option) show --all opencode@alpha viberemote-gateway
            busctl \(scope.option) introspect org.freedesktop.systemd1 \
            "$(busctl \(scope.option) call org.freedesktop.systemd1 /org/freedesktop/systemd1 \
            org.freedesktop.systemd1.Manager GetUnit s opencode@alpha.service | cut -d '"' -f 2)"
            """, as: scope.admin)

        #expect(asOwner.output.contains("MainPID=\(pid)"))
        #expect(asOwner.output.contains("EnvironmentFiles"))

        // The size limit excludes programs.
        let asOther = try machine.run(
            """
            systemctl \(scope.option) show --all opencode@alpha viberemote-gateway 2>&1
            cat /proc/[0-9]*/cmdline | tr '\\0' ' '
            for file in /proc/\(pid)/environ /proc/\(gateway)/environ; do cat $file 2>&1; done
            find /run /var/lib /etc /home/vibe /tmp -type f -size -1024k -exec cat {} + 2>/dev/null | tr '\\0' '\\n'
            """, as: .other)

        // The search worked: the command lines of the processes are visible, and their environment is not.
        #expect(asOther.output.contains("serve --port 0"))
        #expect(asOther.output.contains("/proc/\(pid)/environ: Permission denied"))

        for secret in secrets {
            #expect(!asOwner.output.contains(secret))
            #expect(!asOther.output.contains(secret))
        }
        // The journal does not contain the secrets, either.
        let log = try machine.output("journalctl -o json --all", as: .root)

        #expect(log.contains("the instance is ready"))

        for secret in secrets { #expect(!log.contains(secret)) }
    }
}
