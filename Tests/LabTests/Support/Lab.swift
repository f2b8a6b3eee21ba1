import Glibc
import TestKit
import Testing

/// The Debian release that a machine runs.
enum LabRoot: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// Debian 12: systemd 252, libmicrohttpd 0.9.75, libcurl 7.88.
    case bookworm
    /// Debian 13: systemd 257, libmicrohttpd 1.0.1, libcurl 8.14.
    case trixie

    var testDescription: String { rawValue }
}

/// What the lab's tests need of the system that they run on.
enum Lab {
    /// Why no machine can be booted here; nil when it can.
    ///
    /// `make test` makes what is missing when it runs as root.
    static let obstacle: String? = findObstacle()

    /// Whether machines can be booted.
    static let isReady = obstacle == nil

    /// What a skipped test says.
    static let skipped: Comment = "\(obstacle ?? "the lab is ready")"

    /// The checkout: its deploy and units folders, and the programs in .build/dist.
    static let checkout = String(
        #filePath.prefix(while: { _ in true }).dropLast("/Tests/LabTests/Support/Lab.swift".count))

    /// Where machines see the checkout, read-only.
    static let checkoutInside = "/opt/viberemote"

    /// The script that boots and enters machines.
    static let script = "\(checkout)/Lab/lab"

    private static func findObstacle() -> String? {
        for program in ["viberemote-gateway", "opencode-simulator"]
        where access("\(checkout)/.build/dist/\(program)", X_OK) != 0 {
            return "the lab's tests are skipped: \(program) is not built for them yet, scripts/release.sh lab does"
        }
        do {
            let process = try TestProcess(script, ["ready"])
            if try process.waitForExit() == .exited(0) { return nil }
            return "the lab's tests are skipped: \(process.lines(of: .output).joined(separator: " "))"
        } catch {
            return "the lab's tests are skipped: \(error)"
        }
    }
}
