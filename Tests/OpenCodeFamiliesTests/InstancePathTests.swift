// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite struct InstancePathTests {
    private func spelling(_ path: String, isPlain: Bool = false) -> InstancePath.ListSpelling {
        InstancePath.listSpelling(Array(path.utf8)[...], isPlain: isPlain)
    }

    private func session(_ path: String, isPlain: Bool = false) -> String? {
        InstancePath.session(Array(path.utf8)[...], isPlain: isPlain).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: ["/api/session", "/api/session/", "/API/Session", "/api/SESSION/"])
    func `the path of the session list is recognized in any case and with a final slash`(path: String) {
        #expect(spelling(path) == .list)
        #expect(spelling(path, isPlain: true) == .list)
    }

    @Test(
        arguments: [
            "//api/session", "/api//session", "/api/session//", "/api/%73ession", "/%61pi/session", "/api/./session",
            "/api/session/.", "/api/x/../session", "/./api/session", "/../api/session", "/api/session/x/..",
            "/api/%2e/session", "/api/x/%2E%2E/session", "/api/%2573ession", "/api%2Fsession", "/api%2fsession%2f",
            #"/api\session"#, #"\api\session"#, "/api/%5Csession", "/api/a%2Fb/%2e%2e/session", "/api//../session",
            "/api/x//../../session", "/session/../api/session", "/api/.%2e/api/session",
        ])
    func `each path that a router could take for the session list is recognized as the list`(path: String) {
        #expect(spelling(path) == .list)
    }

    @Test(
        arguments: [
            "/api/session;directory=/home/vibe/other", "/api/session;", "/api/session/;x", "/api//session;x",
            "/api/%73ession;project=x", "/api/session%3Bproject=x", "/api/session;/../../x", "/api/x;/../session",
            "/api/session;/ses_1", "/x;y/../api/session;z", "/x;y/..//api/%2e/session;z",
        ])
    func `the path of the session list with a semicolon is recognized as one with parameters`(path: String) {
        #expect(spelling(path) == .withParameters)
    }

    @Test(arguments: [
        "/", "/api", "/session", "/session/", "/api/sessions", "/api/session/active", "/api/session/ses_1",
        "/api/session/ses_1/message", "/api/x;/session", "/x/api/session", "/api/api/session", "/experimental/session",
        "/api/fs/read/session", "/api/session-x", "/api/ses%00sion",
    ])
    func `each other path is not the session list`(path: String) {
        #expect(spelling(path) == .no)
    }

    @Test func `the path of one session yields its id in each spelling`() {
        for (path, id) in [
            ("/session/ses_1", "ses_1"), ("/api/session/ses_1", "ses_1"), ("/api/session/ses_1/", "ses_1"),
        ] {
            #expect(session(path) == id)
            #expect(session(path, isPlain: true) == id)
        }
        for path in ["//api/session/ses_1", "/api/%73ession/ses%5F1", "/api/x/../session/ses_1", "/session/ses_1;x=y"] {
            #expect(session(path)?.prefix(5) == "ses_1", "\(path)")
        }
        for path in [
            "/session", "/api/session", "/api/session/", "/session/ses_1/message", "/api/session/a/b", "/x/session/a",
        ] {
            #expect(session(path) == nil, "\(path)")
            #expect(session(path, isPlain: true) == nil, "\(path)")
        }
    }

    @Test func `only the exact paths /api/location and /api/fs/list are first requests`() {
        for path in ["/api/location", "/api/fs/list"] { #expect(InstancePath.isFirstRequest(Array(path.utf8)[...])) }
        for path in [
            "/api/location/", "/api/Location", "//api/location", "/api/%6cocation", "/api/location;x", "/api/fs/list/x",
            "/api/location/reload", "/api/fs/find", "/api/fs", "/location",
        ] {
            #expect(!InstancePath.isFirstRequest(Array(path.utf8)[...]), "\(path)")
        }
    }
}
