// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
package import GatewayCore
import HTTPServer
import HTTPTypes
import JSONText
package import KeyAdministration
import Keys
import OpenCodeFamilies

/// The endpoints with which a browser's user signs in and out.
package struct LoginEndpoints: Sendable {
    /// The path of the page for signing in.
    package static var path: String { LoginPage.path }

    /// The largest size of a request's body in bytes.
    private static let longestBody = 4 << 10

    private let keys: KeyService

    /// Creates the endpoints of this service.
    package init(_ keys: KeyService) { self.keys = keys }

    /// The endpoints.
    package var endpoints: [Endpoint] { [page, login, logout] }

    private var page: Endpoint {
        Endpoint(
            .get, LoginPage.path, requires: .nothing,
            description: .init(
                id: "getLoginPage", summary: "Get the page for signing in",
                "A form in which a browser's user enters a key. The browser then sends the key's session as a cookie.",
                .init(status: 200, meaning: "The page.", content: .page)
            ).with(query: [
                .init(
                    name: "next", meaning: "The target on this gateway to which the browser goes after the sign-in.",
                    schema: ["type": "string"])
            ]),
            handler: .loop { request, connection, loop in
                let next = LoginPage.checked(next: request.query["next"])
                let html =
                    loop.session(of: connection).map { LoginPage.signedIn(as: $0.name, next: next) }
                    ?? LoginPage.form(next: next, warnsOfPlainHTTP: Self.isReadable(connection))
                loop.answer(connection, Page.answer(200, html))
            })
    }

    private var login: Endpoint {
        let body = BodyRule.jsonOrForm(limit: Self.longestBody)
        return Endpoint(
            .post, LoginPage.path, requires: .nothing, body: body,
            description: .init(
                id: "login", summary: "Sign in",
                "Begins a session and returns its cookie, which has the rights of the key. The session is an entry in the list of "
                    + "keys. It ends after 30 days, with its key, or with `POST /-/logout`. The body may also be a form.",
                body: Self.bodySchema,
                .json(200, schema: Self.sessionSchema, "The session. `Set-Cookie` contains its cookie."),
                .init(status: 303, meaning: "The response to a form: the browser is signed in.", content: .nothing),
                // The response to a form is a page.
                .passedError(400, "The body contains no key."), .passedError(401, "The key is wrong."),
                .passedError(403, "A page of another origin has sent the request."),
                .passedError(429, "Too many wrong keys came from the client's address, or the key signs in too often."),
                .passedError(503, "The session cannot be stored.")),
            handler: .loop { request, connection, loop in
                guard PageOrigin.isOfOtherOrigin(connection.head) != true else {
                    return loop.refuse(connection, Self.foreign)
                }
                if let refusal = loop.failedTriesRefusal(of: connection) { return loop.refuse(connection, refusal) }
                loop.callControl(connection, request, body: body) { request, _ in
                    .loop { connection, loop in signIn(request, connection, loop) }
                }
            })
    }

    /// Checks the key in a body that has arrived, and begins the session.
    private func signIn(_ request: ControlRequest, _ connection: ClientConnection, _ loop: GatewayLoop) {
        let isForm = BodyRule.isForm(connection.head)
        let isSecure = PageOrigin.isSecure(connection.head)
        let isReadable = Self.isReadable(connection)
        var form = Form(isForm: isForm)
        do throws(GatewayError) {
            form = try Form(request.body, isForm: isForm)
            guard let key = form.key else { throw Self.noKey }
            let principal = try loop.admit(secret: key, of: connection)
            let keys = keys
            let caller = KeyCaller(principal, from: request.client)
            loop.callControl(connection, request) { [form] _, _ in
                do throws(GatewayError) {
                    let (session, token) = try await keys.beginSession(of: principal, for: caller)
                    return .answer(Self.answer(session, token, form, isSecure: isSecure))
                } catch {
                    return .answer(form.answer(to: error, warnsOfPlainHTTP: isReadable))
                }
            }
        } catch {
            loop.recordRefusal(error, of: connection)
            loop.answer(connection, form.answer(to: error, warnsOfPlainHTTP: isReadable))
        }
    }

    private var logout: Endpoint {
        let keys = keys
        return Endpoint(
            .post, "/-/logout", requires: .nothing,
            description: .init(
                id: "logout", summary: "Sign out",
                "Ends the session of the request's cookie, with everything that the session has opened, and removes the cookie.",
                .init(status: 204, meaning: "The session has ended.", content: .nothing),
                .init(status: 303, meaning: "The response to a browser's form.", content: .nothing),
                .error(403, "A page of another origin has sent the request."),
                .error(503, "The end of the session cannot be stored.")),
            handler: .loop { request, connection, loop in
                guard PageOrigin.isOfOtherOrigin(connection.head) != true else {
                    return loop.refuse(connection, Self.foreign)
                }
                let isPage = AcceptedTypes.preferPage(connection.head.fields)
                let session = loop.session(of: connection)
                // The request ends its own session, and must receive the response nevertheless.
                connection.request.outlivesKey = true
                loop.callControl(connection, request) { request, _ in
                    do throws(GatewayError) {
                        if let session, let id = session.session {
                            try await keys.endSession(id, for: KeyCaller(session, from: request.client))
                        }
                        return .answer(Self.signedOut(isPage: isPage))
                    } catch {
                        // Another request has ended the session already.
                        return error.status == 404 ? .answer(Self.signedOut(isPage: isPage)) : .error(error)
                    }
                }
            })
    }

    // MARK: Responses

    private static func answer(_ session: Key, _ token: [UInt8], _ form: Form, isSecure: Bool) -> GatewayAnswer {
        var answer: GatewayAnswer
        if form.isForm {
            answer = redirection(to: form.next ?? LoginPage.path)
        } else {
            var head = ResponseHead(status: 200)
            head.fields.append("Content-Type", "application/json")
            head.fields.append("Cache-Control", "no-store")
            answer = GatewayAnswer(head: head, body: session.json.bytes)
        }
        answer.head.fields.append(
            "Set-Cookie", SessionCookie.setting(token, lifetime: KeyRing.sessionLifetime, isSecure: isSecure))
        return answer
    }

    private static func signedOut(isPage: Bool) -> GatewayAnswer {
        var answer = isPage ? redirection(to: LoginPage.path) : GatewayAnswer(head: ResponseHead(status: 204), body: [])
        for cookie in SessionCookie.removals { answer.head.fields.append("Set-Cookie", cookie) }
        return answer
    }

    /// Returns a response that makes the browser request another page with GET (RFC 9110 §15.4.4).
    private static func redirection(to target: String) -> GatewayAnswer {
        var head = ResponseHead(status: 303)
        head.fields.append("Location", target)
        head.fields.append("Cache-Control", "no-store")
        return GatewayAnswer(head: head, body: [])
    }

    /// Returns whether other computers may read what the browser sends: it uses no TLS, and it is on another computer.
    private static func isReadable(_ connection: ClientConnection) -> Bool {
        guard !PageOrigin.isSecure(connection.head) else { return false }
        return (connection.request.forwardedClient ?? connection.peerAddress)?.isLoopback != true
    }

    private static let foreign = GatewayError(
        403, "A page of another origin has sent this request. Sign in on the gateway's own page, \(LoginPage.path).")
    private static let noKey = GatewayError(
        400, "The body contains no key. Send, for example, {\"key\":\"vr_…\"}.")

    private static let bodySchema = Schema(
        "Login",
        Schema.object(
            [
                "key": ["type": "string", "pattern": #"[^\u0000-\u0020]"#, "description": "The key."],
                "next": ["type": "string", "description": "The target to which a form leads the browser."],
                "username": [
                    "type": "string", "description": "A name for the browser's password manager, without effect.",
                ],
            ], required: ["key"]))
    private static let sessionSchema = KeyResponse.keySchema
}

/// The values in the body of a request for signing in.
private struct Form: Sendable {
    /// Whether the body is a form of a web page instead of JSON.
    let isForm: Bool
    /// The key; nil if the body contains none.
    let key: [UInt8]?
    /// The target to which the browser goes afterwards.
    let next: String?

    /// Creates the values of an empty body.
    init(isForm: Bool) {
        self.isForm = isForm
        key = nil
        next = nil
    }

    init(_ body: [UInt8], isForm: Bool) throws(GatewayError) {
        self.isForm = isForm
        let text: String?
        if isForm {
            let query = RequestQuery(body[...])
            text = query["key"]
            next = LoginPage.checked(next: query["next"])
        } else {
            let members = try RequestMembers(
                body, names: ["key", "next", "username"], example: "{\"key\":\"vr_…\"}")
            text = members["key"]
            next = nil
        }
        // A copied key often has a space or a line break at its end.
        let key = text.map { Array($0.utf8).trimmingSpace }
        self.key = key?.isEmpty == true ? nil : key
    }

    /// Returns the response to an error: the page again, or JSON.
    func answer(to error: GatewayError, warnsOfPlainHTTP: Bool) -> GatewayAnswer {
        guard isForm else { return GatewayAnswer(error) }
        var answer = Page.answer(
            error.status, LoginPage.form(next: next, error: error.sentence, warnsOfPlainHTTP: warnsOfPlainHTTP))
        answer.head.fields.append(contentsOf: error.fields)
        return answer
    }
}

extension [UInt8] {
    /// The bytes without spaces and line breaks at the beginning and the end.
    fileprivate var trimmingSpace: [UInt8] {
        var text = self[...].drop { $0 <= 0x20 }
        while text.last.map({ $0 <= 0x20 }) == true { text.removeLast() }
        return Array(text)
    }
}
