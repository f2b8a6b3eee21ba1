// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// The manager that runs gateway and instances.
enum LabScope: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case user
    case system

    var testDescription: String { rawValue }

    /// The option for systemctl and similar programs.
    var option: String { "--\(rawValue)" }

    /// The user with full access to the manager.
    var admin: LabMachine.User { self == .user ? .vibe : .root }

    /// The folder of the installed settings and key.
    var settings: String { self == .user ? "/home/vibe/.config/viberemote-gateway" : "/etc/viberemote-gateway" }

    /// The folder of the gateway's persistent state.
    var state: String {
        self == .user ? "/home/vibe/.local/state/viberemote-gateway" : "/var/lib/viberemote-gateway"
    }
}
