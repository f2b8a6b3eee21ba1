// SPDX-License-Identifier: Apache-2.0

package import HTTPClient
import HTTPTypes
package import Instances

/// Sends the gateway's own queries to an instance.
extension InstanceQuery {
    /// The default maximum size of a response in bytes.
    package static let longestBody = 256 * 1024

    /// Returns the HTTP request for the query.
    ///
    /// - Parameter isAlone: Whether the request uses its own connection, so that it neither waits for other requests
    ///   nor delays them.
    package func request(isAlone: Bool = false) -> UpstreamRequest {
        var fields = FieldList()
        fields.append("Accept", "application/json")
        if let authorization { fields.append(name: Array("Authorization".utf8), value: authorization[...]) }
        return UpstreamRequest(
            instance: address, method: .get, methodName: "GET", target: target[...], fields: fields, body: .none,
            isAlone: isAlone)
    }

    /// Sends the query immediately.
    ///
    /// - Parameter report: Called exactly once, with nil if there is no response.
    package func send(
        through client: UpstreamClient, isAlone: Bool = false, longestBody: Int = Self.longestBody,
        report: @escaping (InstanceReply?) -> Void
    ) {
        WholeAnswer.send(request(isAlone: isAlone), of: client, within: timeout, longestBody: longestBody) { outcome in
            guard case .answered(let status, let body) = outcome else { return report(nil) }
            report(InstanceReply(status: status, body: body))
        }
    }
}
