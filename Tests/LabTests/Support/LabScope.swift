import TestKit
import Testing

/// Whose manager runs gateway and instances.
enum LabScope: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case user
    case system

    var testDescription: String { rawValue }

    /// For systemctl and its like.
    var option: String { "--\(rawValue)" }

    /// Who may ask that manager for everything.
    var admin: LabMachine.User { self == .user ? .vibe : .root }

    /// Where the installer puts settings and key.
    var settings: String { self == .user ? "/home/vibe/.config/viberemote-gateway" : "/etc/viberemote-gateway" }

    /// Where the gateway keeps what outlasts it.
    var state: String {
        self == .user ? "/home/vibe/.local/state/viberemote-gateway" : "/var/lib/viberemote-gateway"
    }
}
