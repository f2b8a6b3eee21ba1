// SPDX-License-Identifier: Apache-2.0

package import Access
package import Addresses
import EventLoop
import HTTPServer
import HTTPTypes

/// The use of a named key by a client.
package struct KeyUse: Sendable {
    /// The id of the key.
    package let id: KeyID
    /// The client's address; nil if it is unknown.
    package let address: IPAddress?
    /// The value of the request's User-Agent field; nil if there is none.
    package let client: String?

    /// Creates a use from its values.
    package init(id: KeyID, address: IPAddress?, client: String?) {
        self.id = id
        self.address = address
        self.client = client
    }
}

extension GatewayLoop {
    /// The interval at which the requests of a connection report the use of their key.
    private static var useInterval: Duration { .seconds(10) }
    /// The longest reported value of a User-Agent field in bytes.
    private static var longestClient: Int { 200 }

    /// Reports that a request has used its key. For each connection, the loop reports a key once in each interval,
    /// because a report costs more than a small request.
    func reportUse(of principal: Principal, by client: IPAddress?, _ connection: ClientConnection) {
        guard let report = setUp.keyUsed, let id = principal.entry else { return }
        let request = connection.request
        if let last = request.lastUse, last.key == id, loop.now - last.time < Self.useInterval { return }
        request.lastUse = (id, loop.now)
        report(KeyUse(id: id, address: client, client: Self.userAgent(of: connection.head.fields)))
    }

    private static func userAgent(of fields: FieldList) -> String? {
        fields.values(named: userAgentField).first.map {
            String(decoding: $0.prefix(longestClient), as: UTF8.self)
        }
    }

    private static var userAgentField: [UInt8] { Array("user-agent".utf8) }
}
