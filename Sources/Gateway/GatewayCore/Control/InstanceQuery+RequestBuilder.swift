// SPDX-License-Identifier: Apache-2.0

package import HTTPClient
import HTTPTypes
package import Instances

/// The transmission of the gateway's own queries to an instance.
extension InstanceQuery {
    /// The default limit of an answer's size in bytes.
    package static let longestBody = 256 * 1024

    /// Returns the request. If `isAlone` is true, the request does not share a connection with others, so it neither
    /// waits for them nor delays them.
    package func request(isAlone: Bool = false) -> UpstreamRequest {
        var fields = FieldList()
        fields.append("Accept", "application/json")
        if let authorization { fields.append(name: Array("Authorization".utf8), value: authorization[...]) }
        return UpstreamRequest(
            instance: address, method: .get, methodName: "GET", target: target[...], fields: fields, body: .none,
            isAlone: isAlone)
    }

    /// Sends the query immediately and calls `report` exactly once, with nil if there is no answer.
    package func ask(
        _ client: UpstreamClient, isAlone: Bool = false, longestBody: Int = Self.longestBody,
        report: @escaping (InstanceReply?) -> Void
    ) {
        WholeAnswer.ask(request(isAlone: isAlone), of: client, within: timeout, longestBody: longestBody) { outcome in
            guard case .answered(let status, let body) = outcome else { return report(nil) }
            report(InstanceReply(status: status, body: body))
        }
    }
}
