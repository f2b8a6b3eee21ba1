// SPDX-License-Identifier: Apache-2.0

import Systemd
import Testing

@testable import Supervisors

@Suite("Explanations of the service manager's errors")
struct ManagerMessageTests {
    static func message(_ scope: ManagerScope, hasRuntimeFolder: Bool = true) -> ManagerMessage {
        ManagerMessage(scope: scope, user: "vibe", hasRuntimeFolder: hasRuntimeFolder)
    }

    /// The name of an error, its message, and the command or the place of the fix.
    @Test(
        arguments: [
            (
                .user, "org.freedesktop.systemd1.NoSuchUnit",
                ["has no unit opencode@.service", "deploy/install.sh", "systemctl --user daemon-reload"]
            ),
            (.system, "org.freedesktop.systemd1.NoSuchUnit", ["has no unit", "`systemctl daemon-reload`"]),
            (.user, "org.freedesktop.systemd1.LoadFailed", ["systemctl --user cat 'opencode@demo.service'"]),
            (.user, "org.freedesktop.systemd1.BadUnitSetting", ["cannot use opencode@demo.service"]),
            (.user, "org.freedesktop.systemd1.UnitMasked", ["systemctl --user unmask 'opencode@demo.service'"]),
            (.system, "org.freedesktop.DBus.Error.AccessDenied", ["polkit", "manage-units", "--scope user"]),
            (.system, "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", ["polkit"]),
            (
                .user, "org.freedesktop.DBus.Error.AccessDenied",
                ["cannot reach", "XDG_RUNTIME_DIR", "sudo loginctl enable-linger vibe"]
            ),
            (.user, "org.freedesktop.systemd1.ShuttingDown", ["is shutting down"]),
            (.user, "org.freedesktop.DBus.Error.FileNotFound", ["sudo loginctl enable-linger vibe"]),
            (.user, "System.Error.ECONNREFUSED", ["sudo loginctl enable-linger vibe"]),
            (.user, "org.freedesktop.DBus.Error.NoReply", ["does not respond"]),
            (.system, "org.freedesktop.DBus.Error.FileNotFound", ["Check that systemd runs on this machine."]),
            (.user, "org.example.Odd", ["refuses the request", "It said so."]),
        ] as [(ManagerScope, String, [String])])
    func `each D-Bus error is explained in one sentence`(scope: ManagerScope, name: String, parts: [String]) {
        let error = BusError(name: name, message: "It said so.", operation: "StartUnit")
        let sentence = Self.message(scope).sentence(error, unit: "opencode@demo.service")
        for part in parts { #expect(sentence.contains(part), "\(sentence)") }

        #expect(!sentence.contains("\n"))
        #expect(sentence.hasSuffix("."))
    }

    @Test func `the error for a missing runtime directory names XDG_RUNTIME_DIR and loginctl enable-linger`() {
        let error = BusError(name: "org.freedesktop.DBus.Error.Disconnected", message: "", operation: "connecting")
        let sentence = Self.message(.user, hasRuntimeFolder: false).unreachable(error)

        #expect(sentence.contains("XDG_RUNTIME_DIR"))
        #expect(sentence.contains("loginctl enable-linger vibe"))
    }
}
