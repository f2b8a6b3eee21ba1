// SPDX-License-Identifier: Apache-2.0

import Settings
import Systemd
import TestThreads
import Testing

@testable import viberemote_gateway

/// Tests the choice of the supervisor that runs instances, and its log message.
@Suite(.onTestThreads) struct SupervisorSelectionTests {
    static let complete = SupervisorSelection.Found.success(ManagerProbe(version: "252.39", hasTemplate: true))
    static let bare = SupervisorSelection.Found.success(ManagerProbe(version: "257.1", hasTemplate: false))
    static let absent = SupervisorSelection.Found.failure(.init(reason: "no manager is running."))

    @Test(
        arguments: [
            (
                .auto, .user, complete, .systemd,
                "the user's service manager responds (systemd 252.39) and has the unit opencode@.service"
            ),
            (.auto, .system, complete, .systemd, "the system's service manager responds"),
            (
                .auto, .user, bare, .process,
                "but has no unit opencode@.service. Run deploy/install.sh to install the unit"
            ),
            (.auto, .user, absent, .process, "no manager is running."),
            (.systemd, .user, absent, .systemd, "--supervisor is systemd"),
            (.process, .user, complete, .process, "--supervisor is process"),
        ] as [(SupervisorChoice, ManagerScope, SupervisorSelection.Found, SupervisorSelection.Kind, String)])
    func `systemd runs instances if its manager has their unit, unless --supervisor is set`(
        choice: SupervisorChoice, scope: ManagerScope, found: SupervisorSelection.Found, kind: SupervisorSelection.Kind,
        reason: String
    ) {
        let selection = SupervisorSelection(choice, scope) { found }

        #expect(selection.kind == kind)
        #expect(selection.reason.contains(reason), "\(selection.reason)")
    }
}
