// SPDX-License-Identifier: Apache-2.0

import Access
import HTTPServer
import OpenCodeFamilies
import Sodium
import TestKit
import Testing

@testable import GatewayCore

@Suite struct InstanceScopeTests {
    private static func refusal(
        _ method: String, _ target: String, _ rights: KeyRights, family: APIFamily? = .one
    ) -> (status: Int, detail: String)? {
        let judgement = RouteJudgement(method, Array(target.utf8)[...], for: family)
        return InstanceScope.refusal(of: judgement, rights, project: "demo").map { ($0.status, $0.sentence) }
    }

    @Test(
        arguments: [
            ("GET", "/session", .read), ("POST", "/session", .write), ("POST", "/session/ses_1/prompt_async", .write),
            ("GET", "/event", .read), ("POST", "/session/ses_1/shell", .run), ("GET", "/unknown/route", .run),
        ] as [(String, String, Scope)])
    func `a request needs the scope of its route`(method: String, target: String, scope: Scope) {
        for held in Scope.allCases {
            #expect((Self.refusal(method, target, KeyRights(held))?.status == 403) == (held < scope), "\(held)")
        }
    }

    @Test(
        arguments: [
            (.read, "POST", "/session", #"This key may read demo but not change it: it needs "write"."#),
            (.write, "POST", "/session/ses_1/shell", #"This key may work in demo but not control it: it needs "run"."#),
            (
                .answer, "POST", "/session",
                #"This key may read demo and answer questions but not change it: it needs "write"."#
            ),
        ] as [(Scope, String, String, String)])
    func `a refusal names what the key may do and what is missing`(
        scope: Scope, method: String, target: String, detail: String
    ) {
        #expect(Self.refusal(method, target, KeyRights(scope))?.detail == detail)
    }

    @Test func `another project is unknown to a key for some projects`() {
        let refusal = Self.refusal("GET", "/session", KeyRights(.admin, projects: ["other"]))

        #expect(refusal?.status == 404)
        #expect(refusal?.detail == ControlAnswers.projectNotFound("demo").sentence)
        #expect(Self.refusal("GET", "/session", KeyRights(.admin, projects: ["demo"])) == nil)
    }

    private static func examination(_ method: String, _ target: String, _ scope: Scope) -> ContentExamination {
        InstanceScope.examination(
            of: RouteJudgement(method, Array(target.utf8)[...], for: .one), KeyRights(scope))
    }

    @Test(arguments: ["/config", "/config/providers", "/provider"])
    func `responses that may contain secrets are examined for keys below the scope run`(target: String) {
        for scope in Scope.allCases {
            #expect(Self.refusal("GET", target, KeyRights(scope)) == nil)
            #expect(Self.examination("GET", target, scope).concernsResponse == (scope < .run), "\(scope)")
        }
    }

    @Test func `replies are examined for keys below the scope write`() {
        let target = "/session/ses_1/permissions/per_1"

        #expect(Self.refusal("POST", target, KeyRights(.read))?.status == 403)
        #expect(Self.refusal("POST", target, KeyRights(.answer)) == nil)
        #expect(Self.examination("POST", target, .answer).reply == .permission(.response))
        #expect(Self.examination("POST", target, .write) == ContentExamination())
    }

    /// The exchange that examines a response sends no body to the instance.
    @Test func `requests whose responses are examined have no body`() {
        for route in ScopeRoute.all where route.scope < .run {
            if case .secrets = route.content { #expect(route.method == .get, "\(route.template)") }
        }
    }

    @Test func `lists of all projects are filtered for a key for some projects`() {
        let judgement = RouteJudgement("GET", Array("/project".utf8)[...], for: .one)

        #expect(InstanceScope.examination(of: judgement, KeyRights(.run)) == ContentExamination())
        #expect(InstanceScope.examination(of: judgement, KeyRights(.run, projects: ["demo"])).list == .projects)
    }

    @Test(arguments: ["/api/pair", "/API/pair", "/api%2Fpair", "//api/./pair/"])
    func `OpenCode's own pairing is refused in any spelling`(target: String) {
        for scope in Scope.allCases where scope != .admin {
            #expect(Self.refusal("POST", target, KeyRights(scope), family: nil)?.status == 403, "\(scope)")
        }
        #expect(Self.refusal("POST", target, KeyRights(.admin, projects: ["demo"]), family: nil)?.status == 403)
        // An administrator's secret, whose requests are not judged otherwise.
        #expect(InstanceScope.pairingRefusal("POST", Array(target.utf8)[...])?.status == 403)
    }

    @Test(arguments: ["/auth/connect/ABC", "/auth/%63onnect/ABC", "/AUTH/CONNECT/ABC"])
    func `the link of OpenCode's own pairing is refused in any spelling`(target: String) {
        #expect(InstanceScope.pairingRefusal("GET", Array(target.utf8)[...])?.status == 403)
    }

    @Test(arguments: [("GET", "/api/session"), ("POST", "/api/pairs"), ("GET", "/pty/1/connect"), ("GET", "/a%20b")])
    func `other requests are not refused as a pairing`(method: String, target: String) {
        #expect(InstanceScope.pairingRefusal(method, Array(target.utf8)[...]) == nil)
    }
}

@Suite struct UsedRightsTests {
    private static let id = KeyID("AAAAAAAAAA")
    private let token: [UInt8]
    private let hash: KeyedHash

    init() throws {
        token = KeyToken.make(for: try #require(Self.id))
        hash = try #require(KeyedHash(key: [UInt8](repeating: 1, count: KeyedHash.keyLength)))
    }

    /// Returns keys that contain one named key with these rights; none if `rights` is nil.
    private func keys(_ rights: KeyRights?, generation: Int64 = 0, expires: Int64? = nil) throws -> AcceptedKeys {
        let id = try #require(Self.id)
        let secret = KeyIndex.Secret(hash: hash.hash(of: token.span), generation: generation)
        let entries = rights.map {
            [KeyIndex.Entry(id: id, name: "phone", rights: $0, expires: expires, secrets: [secret])]
        }
        return AcceptedKeys(
            secrets: KeyTable(keys: []), named: KeyIndex(hash: hash, entries ?? []), now: { 1_000 })
    }

    private func used(
        _ rights: KeyRights, _ scope: Scope, _ projects: UsedRights.Projects
    ) throws -> UsedRights {
        let value = Array("Bearer ".utf8) + token
        let found = try keys(rights).authenticate(value.span)
        guard case .principal(let principal) = found else { throw TestKitError.closed(waitingFor: "a principal") }
        return UsedRights(of: principal, scope: scope, projects: projects)
    }

    @Test func `an operation is permitted while its key is unchanged or gains rights`() throws {
        let used = try used(KeyRights(.write, projects: ["a"]), .read, .one("a"))

        #expect(used.arePermitted(by: try keys(KeyRights(.write, projects: ["a"]))))
        #expect(used.arePermitted(by: try keys(.everything)))
    }

    @Test func `an operation ends with the revocation, the rotation and the expiry of its key`() throws {
        let used = try used(.everything, .read, .none)

        #expect(!used.arePermitted(by: try keys(nil)))
        #expect(!used.arePermitted(by: try keys(.everything, generation: 1)))
        #expect(!used.arePermitted(by: try keys(.everything, expires: 1_000)))
        #expect(used.arePermitted(by: try keys(.everything, expires: 1_001)))
    }

    @Test func `an operation ends when its key loses the scope that it needs`() throws {
        let used = try used(KeyRights(.run), .write, .one("a"))

        #expect(used.arePermitted(by: try keys(KeyRights(.write))))
        #expect(!used.arePermitted(by: try keys(KeyRights(.answer))))
    }

    @Test func `an operation ends when its key loses its project`() throws {
        let used = try used(KeyRights(.run), .read, .one("a"))

        #expect(used.arePermitted(by: try keys(KeyRights(.run, projects: ["a"]))))
        #expect(!used.arePermitted(by: try keys(KeyRights(.run, projects: ["b"]))))
    }

    @Test func `an operation on all projects ends with each restriction of its key`() throws {
        let used = try used(KeyRights(.run, projects: ["a", "b"]), .read, .all)

        #expect(used.arePermitted(by: try keys(KeyRights(.run, projects: ["a", "b", "c"]))))
        #expect(!used.arePermitted(by: try keys(KeyRights(.run, projects: ["a"]))))
        #expect(!used.arePermitted(by: try keys(KeyRights(.write, projects: ["a", "b"]))))
    }
}
