// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import HTTPServer
import HTTPTypes
import OpenCodeFamilies
import WebSockets

/// The result of checking a request's credentials: the principal, or the reason for the rejection.
/// `Admission` keeps no state; ``FailedTries`` tracks the earlier attempts of an address.
enum Admission: Equatable {
    /// The request has a valid key.
    case admitted(Principal)
    /// The key is missing or wrong.
    case refused(Rejection)

    /// The reason why a request is rejected.
    enum Rejection: Equatable {
        /// The credentials are missing or have an unknown form.
        case noKey
        /// The key is not valid.
        case wrongKey
        /// The text begins like the token of a named key, but is none.
        case mistypedKey
        /// The named key has expired.
        case expiredKey
        /// Too many wrong keys have come from the client's address. The gateway checks the next key after this time.
        case tooManyTries(wait: Duration)
        /// The gateway cannot read the named keys.
        case unavailableKeys
        /// The reverse proxy names a user for whom there is no key.
        case unknownIdentity
        /// The request contains the identity header more than once.
        case repeatedIdentity
        /// A web page of another origin has sent the request, and the browser has added the cookie of a session, or the
        /// browser's proxy has added the identity.
        case foreignPage
        /// The session of the request's cookie has ended.
        case endedSession
        /// The ticket was used before, has expired, belongs to another target, or its key has lost rights.
        case unusableTicket
        /// The request with a ticket requests neither a stream nor a WebSocket.
        case ticketOfOtherRequest
        /// The named key has used its rate. The gateway accepts its next request after this time.
        case tooManyRequests(KeyRate, wait: Duration)
    }

    /// Authenticates a request by its head. `requirement` determines only where the request may contain the key. The
    /// caller checks the rights.
    ///
    /// - Parameter known: The credentials of the connection's previous request.
    static func judge(
        _ head: RequestHead, _ snapshot: Snapshot, for requirement: Requirement, known: inout KnownCredentials?
    ) -> Admission {
        // Several Authorization fields are ambiguous, so the gateway treats the key as missing.
        guard let credentials = head.fields.onlyIndex(of: .authorization) else {
            guard let offered = key(inSubprotocolOf: head, for: requirement) else { return .refused(.noKey) }
            return Admission(snapshot.keys.authenticate(subprotocol: offered.span))
        }
        return Admission(head.fields.withValue(at: credentials) { snapshot.keys.authenticate($0, known: &known) })
    }

    init(_ authentication: Authentication) {
        self =
            switch authentication {
            case .principal(let principal): .admitted(principal)
            case .missing: .refused(.noKey)
            case .invalid: .refused(.wrongKey)
            case .mistyped: .refused(.mistypedKey)
            case .expired: .refused(.expiredKey)
            case .unavailable: .refused(.unavailableKeys)
            }
    }

    /// Returns whether a request contains anything that may be a key.
    static func presentsKey(_ head: RequestHead, for requirement: Requirement) -> Bool {
        head.fields.firstIndex(of: .authorization) != nil || key(inSubprotocolOf: head, for: requirement) != nil
    }

    /// Returns the key that a WebSocket client offers as a subprotocol. Returns nil if the requirement does not allow a
    /// key there, or if the request has an Authorization field.
    private static func key(inSubprotocolOf head: RequestHead, for requirement: Requirement) -> ArraySlice<UInt8>? {
        guard case .webSocketKey = requirement, head.fields.firstIndex(of: .authorization) == nil else { return nil }
        return OpeningHandshake.offeredKeyProtocol(head.fields)?.dropFirst(OpeningHandshake.keyPrefix.count)
    }

    /// Returns the client that a trusted proxy names in a request; nil if the peer itself is the client.
    static func client(behind peer: IPAddress?, _ fields: FieldList, _ policy: Policy) -> IPAddress? {
        guard !policy.trustedProxies.isEmpty, let peer, policy.trustedProxies.contains(peer) else { return nil }
        var walk = ForwardedClient(peer: peer, trusted: policy.trustedProxies)
        for index in stride(from: fields.count - 1, through: 0, by: -1)
        where fields.knownName(at: index) == .forwardedFor {
            walk.parse(fields.value(at: index))
        }
        return walk.address == peer ? nil : walk.address
    }
}

extension Requirement {
    /// The scope that a key needs; nil if no key is needed.
    var scope: Scope? {
        switch self {
        case .nothing: nil
        case .key(let scope), .webSocketKey(let scope): scope
        }
    }
}

extension Admission.Rejection {
    /// Whether the client has presented credentials that are not in the request's Authorization field.
    var concernsOtherCredentials: Bool {
        switch self {
        case .endedSession, .unusableTicket, .ticketOfOtherRequest, .foreignPage, .unknownIdentity, .repeatedIdentity:
            true
        default: false
        }
    }

    /// The error that the client receives.
    var error: GatewayError {
        switch self {
        case .noKey: Self.unauthorized(.missing)
        case .wrongKey: Self.unauthorized(.invalid)
        case .mistypedKey: Self.unauthorized(.mistyped)
        case .expiredKey: Self.unauthorized(.expired)
        case .tooManyTries(let wait): Self.tooManyTries(wait)
        case .unavailableKeys:
            GatewayError(
                503, "The gateway cannot read the named keys at the moment. Try again later.",
                fields: ["Retry-After": "5"])
        case .unknownIdentity:
            GatewayError(
                403,
                "There is no key for the signed-in user. Ask the administrator to create a key with this identity.")
        case .repeatedIdentity:
            GatewayError(403, "The request contains the identity header more than once. Correct the reverse proxy.")
        case .foreignPage:
            GatewayError(
                403,
                "A web page of another origin has sent this request. Send it from a page of this gateway, or with a key."
            )
        case .endedSession:
            GatewayError(
                401, "Your sign-in has ended. Sign in again at /-/login.", fields: ["WWW-Authenticate": "Bearer"])
        case .unusableTicket:
            GatewayError(
                401,
                "This ticket opens nothing. A ticket is valid for 30 s, for one request, and for one address. Request another one.",
                fields: ["WWW-Authenticate": "Bearer"])
        case .ticketOfOtherRequest:
            GatewayError(
                403, "A ticket opens only event streams and WebSockets. Send a key in the Authorization field instead.")
        case .tooManyRequests(let rate, let wait):
            GatewayError(
                429, "This key may send \(rate.phrase). Try again in \(Self.seconds(wait)) s.",
                fields: ["Retry-After": "\(Self.seconds(wait))"])
        }
    }

    private static func unauthorized(_ verdict: Authentication) -> GatewayError {
        // RFC 9110 §15.5.2 requires a challenge. Do not use a Basic challenge, because a browser would
        // then store the key.
        GatewayError(401, verdict.detail ?? "", fields: ["WWW-Authenticate": "Bearer"])
    }

    /// Returns a duration as a whole number of seconds, rounded up.
    private static func seconds(_ wait: Duration) -> Int64 {
        max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
    }

    /// Returns 429 (RFC 6585 §4) with the number of seconds until the next key is checked.
    private static func tooManyTries(_ wait: Duration) -> GatewayError {
        let seconds = seconds(wait)
        return GatewayError(
            429, "Too many wrong keys came from your address. Try again in \(seconds) s.",
            fields: ["Retry-After": "\(seconds)"])
    }
}
