// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite("The scope of a request according to every interpretation of its path")
struct RouteJudgementTests {
    private func judged(_ method: String, _ target: String, _ family: APIFamily? = nil) -> RouteJudgement {
        RouteJudgement(method, Array(target.utf8)[...], for: family)
    }

    @Test(
        arguments: [
            "/session/ses_1", "/session/ses_1/", "/session/ses_1?directory=/x", "//session/ses_1",
            "/session//ses_1", "/%73ession/ses_1", "/%2573ession/ses_1", "/session/ses%5F1", "/session/ses_1;a=b",
            "/session/ses_1%3Fa=b", "/session/SES_1",
        ])
    func `each spelling of a harmless path needs read`(target: String) {
        let judgement = judged("GET", target, .one)

        #expect(judgement.scope == .read)
        #expect(judgement.route?.template == "/session/{sessionID}")
    }

    @Test(
        arguments: [
            // One router serves the terminal, another one a session.
            "/session/..%2Fpty/pty_1/connect", "/session/../pty/pty_1/connect", "/session/%2e%2e/pty/pty_1/connect",
            "/session/%252e%252e/pty/pty_1/connect", "/pty/pty_1/connect/../../../session", "/session\\..\\pty",
            "/session/..;/pty/pty_1/connect", "/session%2F..%2Fpty%2Fpty_1%2Fconnect", "/session/x%2f..%2f..%2fpty",
            "/PTY/pty_1/connect", "/Session", "/session%00", "/session%2Fses_1", "/session%3B", "/session;x",
            "/./session", "/session/./ses_1", "session", "", "*", "http://host/session", "/session#/x",
            "/sess\u{FF}ion",
            "/session%", "/session%2", "/%25252573ession",
        ])
    func `a path that a router may take for another route or an unknown one needs run`(target: String) {
        #expect(judged("GET", target, .one).scope == .run)
    }

    @Test func `a path that is decoded again after its dot segments were resolved needs the stricter scope`() {
        // The first part of a server removes `a%2Fb/%2e%2e`. The second one decodes the remainder, which is
        // `/api/read/z`. A server that decodes the whole path once finds `/api/fs/read/z`.
        let target = "/api/fs/read/a%2Fb/%2e%2e/..%2F..%2Fread%2Fz"

        #expect(judged("GET", target, .two).scope == .run)
    }

    @Test func `a path with very many interpretations needs run`() {
        // All readings of these paths are files, but the second path has more of them than the gateway examines.
        #expect(judged("GET", "/api/fs/read/a%2Fb%2F.%2Fc;d", .two).scope == .write)
        #expect(judged("GET", "/api/fs/read/a%2Fb%2F%2F..%2Fc%5C.%5Cd;e%3Ff%5Cg", .two).scope == .run)
    }

    @Test(
        arguments: [
            "get", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "QUERY", "", "GETS", "Head",
        ])
    func `an unknown method needs run`(method: String) {
        #expect(judged(method, "/session").scope == .run)
    }

    @Test func `HEAD counts as GET`() {
        #expect(judged("HEAD", "/session") == judged("GET", "/session"))
        #expect(judged("HEAD", "/pty/pty_1/connect").scope == .run)
    }

    @Test(
        arguments: [
            "/nothing", "/session/ses_1/nothing", "/api", "/api/", "/api/nothing", "/session/ses_1/message/msg_1/x",
            "/api/fs/read", "/apisession", "/sessions", "/pty/pty_1/connect/x",
        ])
    func `an unknown route needs run`(path: String) {
        #expect(judged("GET", path).scope == .run)
        #expect(judged("GET", path).route == nil)
    }

    @Test func `a known path with a method that it does not have needs run`() {
        #expect(judged("POST", "/session/ses_1", .one).scope == .run)
        #expect(judged("PUT", "/config", .one).scope == .run)
    }

    @Test func `a literal segment takes precedence over an identifier`() {
        #expect(judged("GET", "/session/status", .one).route?.template == "/session/status")
        #expect(judged("GET", "/pty/shells", .one).scope == .read)
        #expect(judged("GET", "/pty/SHELLS", .one).scope == .run)
        #expect(judged("DELETE", "/session/status", .one).route?.template == "/session/{sessionID}")
    }

    @Test func `a route belongs only to its family`() {
        #expect(judged("GET", "/session", .two).scope == .run)
        #expect(judged("GET", "/api/info", .one).scope == .run)
        #expect(judged("GET", "/session", nil).scope == .read)
        #expect(judged("GET", "/api/info", nil).scope == .read)
    }

    @Test func `a path is ambiguous if one of its routes has a body that the gateway examines`() {
        let judgement = judged("GET", "/api/session/ACTIVE", .two)

        #expect(judgement.scope == .run)
        #expect(judgement.route == nil)
        // Neither route has such a body.
        #expect(judged("GET", "/session/STATUS", .one).scope == .read)
    }

    @Test(
        arguments: [
            ("POST", "/api/pair"), ("POST", "/api/pair?x"), ("POST", "//api/pair/"), ("POST", "/API/Pair"),
            ("POST", "/api/%70air"), ("GET", "/auth/connect/ABC"), ("HEAD", "/auth/connect/ABC"),
            ("GET", "/x/../auth/connect/ABC"), ("GET", "/auth%2Fconnect%2FABC"), ("QUERY", "/auth/connect/ABC"),
            ("GET", "/auth/connect/ABC;x"), ("GET", "\\auth\\connect\\ABC"),
        ])
    func `OpenCode's own pairing is recognized in each spelling`(method: String, target: String) {
        let judgement = judged(method, target, .two)

        #expect(judgement.isPairing)
        #expect(judgement.scope == .admin)
    }

    @Test func `a path that is longer than any file path and has several interpretations needs run`() {
        let name = String(repeating: "%61", count: 1_000)

        #expect(judged("GET", "/api/fs/read/\(name)", .two).scope == .write)
        #expect(judged("GET", "/api/fs/read/\(name)\(name)", .two).scope == .run)
    }

    // MARK: Random spellings

    /// A way to spell a path that some router resolves to the original path.
    private enum Change: CaseIterable {
        case encode, doubleSlash, here, up, finalSlash, upperCase, semicolon, query, backslash
    }

    private static func changed(_ path: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var path = path
        let slashes = path.indices.filter { path[$0] == UInt8(ascii: "/") }
        let slash = slashes.randomElement(using: &generator) ?? 0
        switch Change.allCases.randomElement(using: &generator) ?? .encode {
        case .encode:
            guard let index = path.indices.dropFirst().randomElement(using: &generator) else { break }
            let digits = Array("0123456789abcdef".utf8)
            let byte = path[index]
            path.replaceSubrange(index...index, with: [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        case .doubleSlash: path.insert(UInt8(ascii: "/"), at: slash)
        case .here: path.insert(contentsOf: Array("/.".utf8), at: slash)
        case .up: path.insert(contentsOf: Array("/x/..".utf8), at: slash)
        case .finalSlash: path.append(UInt8(ascii: "/"))
        case .upperCase:
            path = path.map { (0x61...0x7A).contains($0) && Bool.random(using: &generator) ? $0 & 0xDF : $0 }
        case .semicolon: path += Array(";a=b".utf8)
        case .query: path += Array("%3Fa=b".utf8)
        case .backslash: if slash > 0 { path[slash] = UInt8(ascii: "\\") }
        }
        return path
    }

    @Test(arguments: 0..<20)
    func `no spelling of a path reduces the scope or hides a body that the gateway examines`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            guard let route = ScopeRoute.all.randomElement(using: &generator) else { continue }
            let plain = Array(
                route.template.replacing(#/\{\w+\}/#, with: "id_1").replacing("*", with: "a/b").utf8)
            let family = route.families.randomElement(using: &generator)
            let expected = RouteJudgement(route.method.rawValue, plain[...], for: family)
            var path = plain
            for _ in 0..<Int.random(in: 1...4, using: &generator) { path = Self.changed(path, &generator) }
            let judgement = RouteJudgement(route.method.rawValue, path[...], for: family)
            let text = String(decoding: path, as: UTF8.self)

            #expect(expected.route == route, "\(route.template)")
            #expect(judgement.scope >= expected.scope, "\(text)")
            #expect(judgement.isPairing == expected.isPairing || judgement.isPairing, "\(text)")
            if route.content != .unexamined, judgement.scope < .run {
                #expect(judgement.route == route, "\(text)")
            }
        }
    }
}
