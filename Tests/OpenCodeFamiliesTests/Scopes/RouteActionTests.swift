// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OpenCodeFamilies

@Suite("The actions of OpenCode's routes")
struct RouteActionTests {
    private static func route(_ row: String) -> ScopeRoute? {
        ScopeRoute.all.first { "\($0.method.rawValue) \($0.template)" == row }
    }

    @Test func `each action belongs to a route of the table`() {
        for row in ScopeRoute.actions.keys {
            #expect(Self.route(row) != nil, "\(row)")
        }
        for action in RouteAction.allCases {
            #expect(ScopeRoute.all.contains { $0.action == action }, "\(action)")
        }
    }

    @Test func `each reply is an action, and reads are none`() {
        for route in ScopeRoute.all {
            switch route.content {
            case .reply(.permission): #expect(route.action == .permission)
            case .reply: #expect(route.action == .question)
            default: #expect(route.scope > .answer || route.action == nil, "\(route.template)")
            }
            // Only the handshakes of terminals are GET requests.
            if route.method == .get, route.action != nil {
                #expect(route.action == .terminal)
                #expect(route.template.hasSuffix("/connect"))
            }
        }
    }

    @Test func `the number of operations for each action is known`() throws {
        var counts: [String: [RouteAction: Int]] = [:]
        for operation in try RecordedDocuments.operations() {
            let judgement = RouteJudgement(operation.method, Array(operation.target.utf8)[...], for: operation.family)
            guard let action = judgement.route?.action else { continue }
            counts[operation.version, default: [:]][action, default: 0] += 1
        }

        #expect(
            counts == [
                "1.0.223": [.prompt: 6, .abort: 1, .permission: 1, .shell: 1, .terminal: 2, .restart: 2],
                "1.1.11": [.prompt: 6, .abort: 1, .permission: 2, .question: 2, .shell: 1, .terminal: 2, .restart: 2],
                "1.2.27": [.prompt: 6, .abort: 1, .permission: 2, .question: 2, .shell: 1, .terminal: 2, .restart: 2],
                "1.18.3": [.prompt: 8, .abort: 2, .permission: 3, .question: 4, .shell: 1, .terminal: 4, .restart: 2],
                "1.18.33": [.prompt: 8, .abort: 2, .permission: 3, .question: 4, .shell: 1, .terminal: 4, .restart: 2],
                "2.0.15": [.prompt: 7, .abort: 1, .permission: 1, .question: 2, .shell: 2, .terminal: 4, .restart: 1],
            ])
    }

    @Test(arguments: [
        ("POST /permission/{requestID}/reply", "/permission/per_1/reply?directory=x", "per_1"),
        ("POST /session/{sessionID}/permissions/{permissionID}", "/session/ses_1/permissions/per%5F1", "per_1"),
        ("DELETE /api/session/{sessionID}/form/{formID}", "/api/session/ses_1//form/frm_1/", "frm_1"),
        ("POST /permission/{requestID}/reply", "/permission/a/per_1/reply", nil),
        ("POST /session/{sessionID}/message", "/session/ses_1/message", nil),
    ])
    func `the id of a reply is the last variable segment`(row: String, target: String, id: String?) throws {
        #expect(try #require(Self.route(row)).repliedID(in: Array(target.utf8)[...]) == id)
    }

    @Test(
        arguments: [
            (.permission(.reply), #"{"reply":"once"}"#, "once"),
            (.permission(.response), #"{"response":"always"}"#, "always"),
            (.permission(.replyOrDecision), #"{"decision":"reject","message":"no"}"#, "reject"),
            (.permission(.reply), #"{"response":"once"}"#, nil),
            (.permission(.reply), #"{"reply":"once","reply":"once"}"#, nil),
            (.permission(.replyOrDecision), #"{"reply":"once","decision":"always"}"#, nil),
            (.permission(.reply), #"{"reply":"a secret"}"#, nil), (.permission(.reply), #"{"reply":true}"#, nil),
            (.permission(.reply), "", nil), (.permission(.reply), "reply=once", nil),
            (.question, #"{"answers":[["a secret"]]}"#, "answered"), (.form, "", "answered"),
            (.rejection, "", "rejected"),
        ] as [(ReplyBody, String, String?)])
    func `only a known choice is returned`(reply: ReplyBody, body: String, choice: String?) {
        #expect(reply.choice(in: Array(body.utf8)) == choice)
    }
}
