// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A test's own certificate authority and the certificates that the authority has signed, created with Debian's
/// openssl(1).
package final class TestCertificates: Sendable {
    /// The paths of a server's certificate and key files.
    package struct Pair: Sendable {
        /// The path of the certificate (PEM).
        package let certificate: String
        /// The path of the key (PEM).
        package let key: String
    }

    private let folder: TemporaryDirectory
    /// The path of the authority's certificate (PEM).
    package let authority: String

    private static let program = "/usr/bin/openssl"

    /// Whether openssl is installed on this machine.
    package static var isAvailable: Bool { access(program, X_OK) == 0 }

    /// Creates a new certificate authority.
    package init() throws {
        folder = try TemporaryDirectory()
        authority = "\(folder.path)/authority.pem"
        try Self.run(
            ["req", "-x509", "-days", "30", "-subj", "/CN=test authority", "-out", authority]
                + Self.newKey("\(folder.path)/authority.key"))
    }

    /// Creates a certificate for the given names, such as `DNS:localhost` or `IP:127.0.0.1`. A negative number of days
    /// creates an expired certificate.
    package func pair(for names: [String] = ["DNS:localhost", "IP:127.0.0.1"], days: Int = 30) throws -> Pair {
        let path = "\(folder.path)/\(names.joined().filter { $0.isLetter || $0.isNumber })\(days)"
        try Self.run(
            ["req", "-new", "-subj", "/CN=test", "-addext", "subjectAltName=" + names.joined(separator: ",")]
                + ["-out", "\(path).csr"] + Self.newKey("\(path).key"))
        try Self.run(
            ["x509", "-req", "-in", "\(path).csr", "-CA", authority, "-CAkey", "\(folder.path)/authority.key"]
                + ["-CAcreateserial", "-copy_extensions", "copy", "-days", "\(days)", "-out", "\(path).pem"])
        return Pair(certificate: "\(path).pem", key: "\(path).key")
    }

    private static func newKey(_ path: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path]
    }

    private static func run(_ arguments: [String]) throws {
        let process = try TestProcess(program, arguments)
        guard try process.waitForExit(within: .seconds(60)) == .exited(0) else {
            throw TestKitError.unavailable(
                "openssl \(arguments[0]): \(process.lines(of: .error).joined(separator: "; "))")
        }
    }
}
