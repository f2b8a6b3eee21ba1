import Access
import Addresses
import HTTPServer
import HTTPTypes
import WebSockets

/// Who a request comes from and what they may, or why it is refused. Pure: what an address has tried before is
/// ``FailedTries``' to know.
enum Admission: Equatable {
    /// A known key has come.
    case admitted(Principal, Grant)
    /// There is no key, or a wrong one.
    case refused(Refusal)

    /// Why a request is not let in.
    enum Refusal: Equatable {
        /// Its credentials are missing, or of a form that the gateway does not know.
        case noKey
        /// Its key opens nothing.
        case wrongKey
        /// Its key does not grant what the endpoint wants.
        case notGranted
        /// Too many wrong keys have come from its address: another is looked at after this time.
        case tooManyTries(wait: Duration)
    }

    /// Judges the credentials of a request with this head for an endpoint that wants this.
    static func judge(_ head: RequestHead, _ snapshot: Snapshot, for requirement: Requirement) -> Admission {
        // Several Authorization fields are ambiguous and count as none.
        guard let credentials = head.fields.onlyIndex(of: .authorization) else {
            guard let offered = key(inSubprotocolOf: head, for: requirement) else { return .refused(.noKey) }
            return Admission(snapshot.policy.keys.authenticate(subprotocol: offered.span))
        }
        return Admission(head.fields.withValue(at: credentials) { snapshot.policy.keys.authenticate($0) })
    }

    private init(_ authentication: Authentication) {
        self =
            switch authentication {
            case .principal(let principal): .admitted(principal, .everything)
            case .missing: .refused(.noKey)
            case .invalid: .refused(.wrongKey)
            }
    }

    /// Whether a request brings anything that may be a key.
    static func presentsKey(_ head: RequestHead, for requirement: Requirement) -> Bool {
        head.fields.firstIndex(of: .authorization) != nil || key(inSubprotocolOf: head, for: requirement) != nil
    }

    /// The key in a WebSocket's subprotocol, where it may stand there and in no Authorization field.
    private static func key(inSubprotocolOf head: RequestHead, for requirement: Requirement) -> ArraySlice<UInt8>? {
        guard case .webSocketKey = requirement, head.fields.firstIndex(of: .authorization) == nil else { return nil }
        return OpeningHandshake.offeredKeyProtocol(head.fields)?.dropFirst(OpeningHandshake.keyPrefix.count)
    }

    /// The client of a request, where the peer that has brought it is a trusted proxy and names another; nil where it is
    /// the peer itself. Costs nothing where no proxy is trusted.
    static func client(behind peer: IPAddress?, _ fields: FieldList, _ policy: Policy) -> IPAddress? {
        guard !policy.trustedProxies.isEmpty, let peer, policy.trustedProxies.contains(peer) else { return nil }
        var walk = ForwardedClient(peer: peer, trusted: policy.trustedProxies)
        for index in stride(from: fields.count - 1, through: 0, by: -1)
        where fields.knownName(at: index) == .forwardedFor {
            walk.read(fields.value(at: index))
        }
        return walk.address == peer ? nil : walk.address
    }
}

extension Requirement {
    /// Whether who may this much is let in.
    func isMet(by grant: Grant) -> Bool {
        switch self {
        case .nothing: true
        case .key(let wanted), .webSocketKey(let wanted): grant.isSuperset(of: wanted)
        }
    }
}

extension Admission.Refusal {
    /// What the client is told.
    var answer: Answer {
        switch self {
        case .noKey: Self.unauthorized(.missing)
        case .wrongKey: Self.unauthorized(.invalid)
        case .notGranted: .detail(403, "This key does not allow that: use one that does.")
        case .tooManyTries(let wait): Self.tooManyTries(wait)
        }
    }

    private static func unauthorized(_ verdict: Authentication) -> Answer {
        var answer = Answer.detail(401, verdict.detail ?? "")
        // RFC 9110 §15.5.2 wants a challenge; a browser that asked for Basic would keep the key.
        answer.head.fields.append("WWW-Authenticate", "Bearer")
        return answer
    }

    /// 429 (RFC 6585 §4) with the seconds after which a try is looked at again.
    private static func tooManyTries(_ wait: Duration) -> Answer {
        let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
        var answer = Answer.detail(429, "Too many wrong keys came from your address. Try again in \(seconds) s.")
        answer.head.fields.append("Retry-After", "\(seconds)")
        return answer
    }
}
