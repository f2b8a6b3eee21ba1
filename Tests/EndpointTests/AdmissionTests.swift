// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import HTTPServer
import HTTPTypes
import Instances
import OpenCodeFamilies
import Testing

@testable import GatewayCore

@Suite("The admission of requests")
struct AdmissionTests {
    private static let key = "a key that is long enough"
    private static let admitted = Admission.admitted(Principal(name: "ci"))
    private let snapshot = Snapshot(policy: Policy(key: key, name: "ci"), routes: .empty)

    @Test(
        arguments: [
            ([("Authorization", "Bearer \(key)")], admitted), ([("authorization", "bearer \(key)")], admitted),
            ([("Authorization", "Basic YW55Ym9keTphIGtleSB0aGF0IGlzIGxvbmcgZW5vdWdo")], admitted),
            ([("Authorization", "Bearer another key")], .refused(.wrongKey)), ([], .refused(.noKey)),
            ([("Authorization", "Digest x")], .refused(.noKey)), ([("Authorization", "")], .refused(.noKey)),
            // Several fields are ambiguous.
            ([("Authorization", "Bearer \(key)"), ("Authorization", "Bearer \(key)")], .refused(.noKey)),
        ] as [([(String, String)], Admission)])
    func `a valid key is admitted with its principal, and any other request is rejected`(
        fields: [(String, String)], admission: Admission
    ) {
        let head = RequestHead(.get, "/projects")
        for (name, value) in fields { head.fields.append(name, value) }

        var known: KnownCredentials?
        // The second check uses the result of the first one.
        for _ in 1...2 { #expect(Admission.judge(head, snapshot, for: .key(.read), known: &known) == admission) }
    }

    @Test(
        arguments: [
            (.noKey, 401, "Missing or invalid Authorization header", "WWW-Authenticate: Bearer"),
            (.wrongKey, 401, "Invalid API key", "WWW-Authenticate: Bearer"),
            (.mistypedKey, 401, "This key is mistyped.", "WWW-Authenticate: Bearer"),
            (
                .expiredKey, 401, "This key has expired. Ask the administrator for a new key.",
                "WWW-Authenticate: Bearer"
            ),
            (
                .tooManyTries(wait: .milliseconds(1200)), 429,
                "Too many wrong keys came from your address. Try again in 2 s.", "Retry-After: 2"
            ),
        ] as [(Admission.Rejection, Int, String, String?)])
    func `each rejection has its own status, detail and header field`(
        refusal: Admission.Rejection, status: Int, detail: String, field: String?
    ) {
        let answer = GatewayAnswer(refusal.error)

        #expect(answer.head.status == status)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"detail":"\#(detail)"}"#)

        let fields = (1..<answer.head.fields.count).map { index in
            String(decoding: answer.head.fields.name(at: index), as: UTF8.self) + ": "
                + String(decoding: answer.head.fields.value(at: index), as: UTF8.self)
        }

        #expect(fields == (field.map { [$0] } ?? []))
    }

    @Test func `the context of a request is reset at its end, except the connection's admitted client`() {
        let context = RequestContext()
        let later = Snapshot(policy: Policy(key: Self.key), routes: .empty)

        #expect(context.pinPolicy(of: snapshot) === snapshot.policy)
        // A reload during a request takes effect with the next request.
        #expect(context.pinPolicy(of: later) === snapshot.policy)

        context.admit(Principal(name: "ci"))
        context.require(.run, ofAllProjects: true)
        context.project = "demo"
        context.admittedClient = IPAddress("192.0.2.1")
        context.forwardedClient = IPAddress("192.0.2.2")
        context.requestEnded(RequestSummary())

        #expect(context.principal == nil)
        #expect(context.scope == .read)
        #expect(!context.concernsAllProjects)
        #expect(context.usedRights == nil)
        #expect(context.project == nil)
        #expect(context.forwardedClient == nil)
        #expect(context.admittedClient == IPAddress("192.0.2.1"))
        #expect(context.pinPolicy(of: later) === later.policy)
    }
}
