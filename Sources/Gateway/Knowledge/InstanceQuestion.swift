import Addresses
import HTTPClient
import HTTPTypes
internal import Instances

/// A question that a loop asks an instance by itself, for the streams and requests that it carries.
struct InstanceQuestion {
    /// The longest answer that is kept.
    private static let longestBody = 256 * 1024

    let endpoint: InstanceEndpoint
    /// The target of a GET.
    let target: [UInt8]
    /// How long the whole answer may take.
    let timeout: Duration

    var request: UpstreamRequest {
        var fields = FieldList()
        fields.append("Accept", "application/json")
        if let authorization = endpoint.authorization {
            fields.append(name: Array("Authorization".utf8), value: authorization[...])
        }
        return UpstreamRequest(
            instance: InstanceAddress(ip: .loopback, port: endpoint.port), method: .get, methodName: "GET",
            target: target[...], fields: fields, body: .none)
    }

    /// Asks at once and calls `report` exactly once; with nil where there is no answer.
    func ask(_ client: UpstreamClient, report: @escaping (_ answer: (status: Int, body: [UInt8])?) -> Void) {
        WholeAnswer.ask(request, of: client, within: timeout, longestBody: Self.longestBody) { outcome in
            guard case .answered(let status, let body) = outcome else { return report(nil) }
            report((status, body))
        }
    }
}
