import HTTPClient
import HTTPTypes
import Instances

/// How a question of the gateway's own goes to an instance.
extension InstanceQuery {
    /// Bytes of an answer that are kept where nothing else is said.
    static let longestBody = 256 * 1024

    /// The request; `isAlone`: it may not wait for, or hold up, others on a connection.
    func request(isAlone: Bool = false) -> UpstreamRequest {
        var fields = FieldList()
        fields.append("Accept", "application/json")
        if let authorization { fields.append(name: Array("Authorization".utf8), value: authorization[...]) }
        return UpstreamRequest(
            instance: address, method: .get, methodName: "GET", target: target[...], fields: fields, body: .none,
            isAlone: isAlone)
    }

    /// Asks at once and calls `report` exactly once; with nil where there is no answer.
    func ask(
        _ client: UpstreamClient, isAlone: Bool = false, longestBody: Int = Self.longestBody,
        report: @escaping (InstanceReply?) -> Void
    ) {
        WholeAnswer.ask(request(isAlone: isAlone), of: client, within: timeout, longestBody: longestBody) { outcome in
            guard case .answered(let status, let body) = outcome else { return report(nil) }
            report(InstanceReply(status: status, body: body))
        }
    }
}
