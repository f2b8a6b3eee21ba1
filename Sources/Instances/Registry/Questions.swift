package import Addresses
package import OpenCode

/// One health check: what is asked of an instance.
package struct HealthQuestion: Sendable {
    /// Where to ask.
    package let address: InstanceAddress
    /// What the instance asks for; nil sends nothing.
    package var credentials: InstanceCredentials?
    /// Which path to ask first.
    package var search: HealthSearch
    /// How long the whole answer may take.
    package var timeout: Duration
    /// Whether to find out, once it is healthy, if it lets others in without its password.
    package var checksPassword: Bool

    /// A question.
    package init(
        address: InstanceAddress, credentials: InstanceCredentials?, search: HealthSearch, timeout: Duration,
        checksPassword: Bool
    ) {
        self.address = address
        self.credentials = credentials
        self.search = search
        self.timeout = timeout
        self.checksPassword = checksPassword
    }
}

/// What a health check has found.
package enum HealthFinding: Sendable, Equatable {
    /// It is healthy; OpenCode's version where it says it; whether it lets nobody in without its password: nil when that was
    /// not tried or not to be found out; where it told so; and the number under which its process sees itself, where it says
    /// that.
    case healthy(
        version: String?, enforcesPassword: Bool? = nil, path: HealthPath? = nil, processNumber: Int32? = nil)
    /// It answered, and is not; why, as one sentence.
    case unhealthy(reason: String)
    /// It does not take the password that it was given; one sentence.
    case unauthorized(reason: String)
    /// No answer came; why, as one sentence.
    case silent(reason: String)
}

/// One GET that the gateway sends to an instance on its own behalf.
package struct InstanceQuestion: Sendable {
    /// Where to ask.
    package let address: InstanceAddress
    /// The request's target: path and query.
    package let target: [UInt8]
    /// The value of the Authorization field; secret. Nil sends none.
    package let authorization: [UInt8]?
    /// How long the whole answer may take.
    package let timeout: Duration

    /// The target as text.
    package var path: String { String(decoding: target, as: UTF8.self) }

    /// A question; `authorization` is secret.
    package init(address: InstanceAddress, target: [UInt8], authorization: [UInt8]?, timeout: Duration) {
        self.address = address
        self.target = target
        self.authorization = authorization
        self.timeout = timeout
    }

    /// A question to a ready instance.
    package init(endpoint: InstanceEndpoint, target: [UInt8], timeout: Duration) {
        self.init(
            address: endpoint.address, target: target, authorization: endpoint.authorization, timeout: timeout)
    }
}

/// What an instance has answered to an ``InstanceQuestion``.
package struct InstanceReply: Sendable {
    /// The status code.
    package let status: Int
    /// The body, or the beginning of a very long one.
    package let body: [UInt8]

    /// A reply.
    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}
