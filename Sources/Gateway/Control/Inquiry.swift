import Addresses
import HTTPClient
import HTTPTypes

/// One GET that the gateway sends to an instance on its own behalf.
package struct Inquiry: Sendable {
    /// What came of it.
    package struct Reply: Sendable {
        /// The status code.
        package let status: Int
        /// The body, or the beginning of one that is longer than ``Inquiry/longestBody``.
        package let body: [UInt8]
    }

    /// Bytes of an answer that are kept: the list of a machine's models takes some hundred thousand.
    private static let longestBody = 4 * 1024 * 1024

    private let port: UInt16
    private let path: String
    private let authorization: String?
    private let timeout: Duration

    /// A question to the instance on this port of 127.0.0.1. `authorization` is the Authorization field's value; `timeout` is
    /// for the whole answer.
    package init(port: UInt16, path: String, authorization: String?, timeout: Duration) {
        self.port = port
        self.path = path
        self.authorization = authorization
        self.timeout = timeout
    }

    /// Asks at once and calls `report` exactly once.
    func ask(_ client: UpstreamClient, report: @escaping (Reply?) -> Void) {
        var fields = FieldList()
        fields.append("Accept", "application/json")
        if let authorization { fields.append("Authorization", authorization) }
        let request = UpstreamRequest(
            instance: InstanceAddress(ip: .loopback, port: port), method: .get, methodName: "GET",
            target: Array(path.utf8)[...], fields: fields, body: .none, isAlone: true)
        WholeAnswer.ask(request, of: client, within: timeout, longestBody: Self.longestBody) { outcome in
            guard case .answered(let status, let body) = outcome else { return report(nil) }
            report(Reply(status: status, body: body))
        }
    }
}
