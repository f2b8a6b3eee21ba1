// SPDX-License-Identifier: Apache-2.0

package import Addresses
package import OpenCodeFamilies

/// The parameters of one health check.
package struct HealthQuery: Sendable {
    /// The address of the instance.
    package let address: InstanceAddress
    /// The credentials that the instance requires; nil to send none.
    package var credentials: InstanceCredentials?
    /// The order in which the health paths are tried.
    package var search: HealthSearch
    /// The time limit for the whole response.
    package var timeout: Duration
    /// Whether the check also tests that a healthy instance rejects requests without its password.
    package var checksPassword: Bool

    /// Creates a health check with the given parameters.
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

/// A GET request that the gateway itself sends to an instance.
package struct InstanceQuery: Sendable {
    /// The address of the instance.
    package let address: InstanceAddress
    /// The request target: path and query.
    package let target: [UInt8]
    /// The value of the Authorization field, which is secret; nil to send none.
    package let authorization: [UInt8]?
    /// The time limit for the whole response.
    package let timeout: Duration

    /// The request target as text.
    package var path: String { String(decoding: target, as: UTF8.self) }

    /// Creates a request. `authorization` is secret.
    package init(address: InstanceAddress, target: [UInt8], authorization: [UInt8]?, timeout: Duration) {
        self.address = address
        self.target = target
        self.authorization = authorization
        self.timeout = timeout
    }

    /// Creates a request to a ready instance.
    package init(endpoint: InstanceEndpoint, target: [UInt8], timeout: Duration) {
        self.init(
            address: endpoint.address, target: target, authorization: endpoint.authorization, timeout: timeout)
    }
}

/// The response to an ``InstanceQuery``.
package struct InstanceReply: Sendable {
    /// The status code of the response.
    package let status: Int
    /// The body. Only the beginning of a very long body is kept.
    package let body: [UInt8]

    /// Creates a response from status and body.
    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}
