// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A TLS terminator in front of a `TestServer`, implemented by a Python helper (`Tests/Fixtures/tls-front.py`). The
/// helper forwards every byte, so that the test controls the responses.
package final class TLSFront: Sendable {
    private let process: TestProcess
    /// The port of 127.0.0.1 on which the helper listens.
    package let port: UInt16

    private static let program = "/usr/bin/python3"

    /// Whether Python and openssl are installed.
    package static var isAvailable: Bool { access(program, X_OK) == 0 && TestCertificates.isAvailable }

    /// Starts the helper in front of a port. With `isSilent`, the helper accepts connections but never sends anything.
    package init(_ pair: TestCertificates.Pair, to port: UInt16, isSilent: Bool = false, from file: String = #filePath)
        throws
    {
        guard let tests = file.ranges(of: "/Tests/").last else {
            throw TestKitError.unavailable("\(file) is not below Tests: name the helper's place in the call")
        }
        process = try TestProcess(
            Self.program,
            ["\(file[..<tests.upperBound])Fixtures/tls-front.py", pair.certificate, pair.key, "\(port)"]
                + (isSilent ? ["silent"] : []))
        let line = try process.waitForLine(on: .output, within: .seconds(30)) { UInt16($0) != nil }
        self.port = UInt16(line) ?? 0
    }
}
