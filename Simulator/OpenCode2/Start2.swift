// SPDX-License-Identifier: Apache-2.0

extension Profile.Start {
    /// The behaviour of OpenCode 2.0.15 at its start and end.
    static var second: Profile.Start {
        Profile.Start(
            warnsWithoutPassword: false, firstRun: [], portTaken: portTakenBySecond, logLine: { _ in nil },
            banner: "server listening on", portChoice: .counting,
            passwordVariables: ["OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD"], userVariable: nil,
            makesPassword: true, knowsIPv6: true, termination: .byExit)
    }

    private static var portTakenBySecond: [String] {
        [
            "ServeError: ",
            "    at w (/$bunfs/root/chunk-pxq53at5.js:54:51704)",
            "    at applyHandlers (node:events:64:20)",
            "    at emitError (node:events:44:27)",
            "    at emitListenErrorNextTick (node:_http_server:134:12)",
            "    at processTicksAndRejections (native:7:39) {",
            "  [cause]: Error: Failed to start server. Is port {port} in use?",
            "      at serve (unknown)",
            "      at <anonymous> (node:_http_server:359:39)",
            "      at <anonymous> (node:_http_server:332:33)",
            "      at <anonymous> (/$bunfs/root/chunk-pxq53at5.js:54:51742)",
            "}",
        ]
    }
}
