// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An nginx server in front of a server on 127.0.0.1, for tests with TLS, HTTP/2 and the effects of nginx settings.
package final class NginxFront: Sendable {
    private let process: TestProcess
    private let folder: TemporaryDirectory
    /// The port of 127.0.0.1 on which nginx listens.
    package let port: UInt16

    private static let program = "/usr/sbin/nginx"

    /// Whether nginx and openssl are installed.
    package static var isAvailable: Bool { access(program, X_OK) == 0 && TestCertificates.isAvailable }

    /// Starts nginx in front of a port.
    ///
    /// - Parameter settings: The directives in the block `location /`.
    package init(_ pair: TestCertificates.Pair, to upstream: UInt16, settings: String = "") throws {
        let folder = try TemporaryDirectory()
        for name in ["body", "proxy", "fastcgi", "uwsgi", "scgi"] { try folder.makeDirectory(name) }
        let port = try FreePort.find()
        let file = try folder.write(
            """
            daemon off;
            master_process off;
            pid \(folder.path)/pid;
            error_log stderr notice;
            events {}
            http {
                access_log off;
                client_body_temp_path \(folder.path)/body;
                proxy_temp_path \(folder.path)/proxy;
                fastcgi_temp_path \(folder.path)/fastcgi;
                uwsgi_temp_path \(folder.path)/uwsgi;
                scgi_temp_path \(folder.path)/scgi;
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate \(pair.certificate);
                    ssl_certificate_key \(pair.key);
                    location / {
                        proxy_pass http://127.0.0.1:\(upstream);
                        proxy_http_version 1.1;
                        \(settings)
                    }
                }
            }
            """, to: "nginx.conf")
        process = try TestProcess(Self.program, ["-e", "stderr", "-c", file, "-p", folder.path])
        self.folder = folder
        self.port = port
        try process.waitForLine(on: .error, within: .seconds(30)) { $0.contains("getrlimit") || $0.contains("[emerg]") }
        if let emergency = process.lines(of: .error).first(where: { $0.contains("[emerg]") }) {
            throw TestKitError.unavailable("nginx: \(emergency)")
        }
    }
}
