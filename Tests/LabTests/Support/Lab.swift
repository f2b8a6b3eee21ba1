// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// The Debian release of a machine.
enum LabRoot: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// Debian 12: systemd 252, libmicrohttpd 0.9.75, libcurl 7.88.
    case bookworm
    /// Debian 13: systemd 257, libmicrohttpd 1.0.1, libcurl 8.14.
    case trixie

    var testDescription: String { rawValue }
}

/// The requirements of the lab's tests on the host.
enum Lab {
    /// The reason why this host cannot boot a machine; nil if it can.
    ///
    /// If `make test` runs as root, it creates what is missing.
    static let obstacle: String? = findObstacle()

    /// Whether machines can be booted on this host.
    static let isReady = obstacle == nil

    /// The comment for skipped tests.
    static let skipped: Comment = "\(obstacle ?? "the lab is ready")"

    /// The checkout, with its deploy and units folders and the programs in .build/dist.
    static let checkout = String(
        #filePath.prefix(while: { _ in true }).dropLast("/Tests/LabTests/Support/Lab.swift".count))

    /// The path of the checkout inside machines, read-only.
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
