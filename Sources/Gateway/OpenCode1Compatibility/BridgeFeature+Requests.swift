// SPDX-License-Identifier: Apache-2.0

package import Dialects
package import GatewayCore
package import HTTPServer
package import Instances
import OpenCodeFamilies

/// Handles requests in OpenCode 1's API for any delegate.
extension BridgeFeature {
    /// Starts to serve a request with the route's instance, which may belong to either family. The directory of the
    /// request must be inside the project.
    func startRun(
        _ request: ClientRequest, to route: RoutingTable.Route, policy: Policy, delegate: any BridgeDelegate
    ) -> BridgeRun {
        let threads = threads
        let endpoint = route.endpoint
        let scope = policy.pinsDirectories ? route.scope : nil
        let workingDirectory =
            route.scope.map { String(decoding: $0.workingDirectory, as: UTF8.self) } ?? request.directory
        // The body of a prompt can be large, and `/doc` returns OpenCode 1's large document, so their tasks count as
        // long. Other requests are short.
        let size = request.body.isEmpty && request.path != ["doc"] ? 0 : Int.max
        var request = request
        request.releasableBody = request.body.isEmpty ? nil : ReleasableBody(request.body)
        request.body = []
        return BridgeRun(
            self, to: route, limits: policy.limits, delegate: delegate, size: size
        ) { [request] transport throws(BridgeError) in
            guard let endpoint, endpoint.family == .two else {
                return .answer(try await Bridge.forward(request, over: transport))
            }
            let defaults = try await threads.defaults.defaults(of: endpoint, in: workingDirectory, over: transport)
            let bridge = Bridge(
                defaults, home: threads.home, directory: workingDirectory,
                contains: { path in scope?.contains(Array(path.utf8)[...]) ?? true }, transport: transport)
            if let response = try await bridge.respond(to: request) { return response }
            return .answer(try await Bridge.forward(request, over: transport))
        }
    }

    /// Sends a request in OpenCode 1's API to the route's instance on behalf of the gateway itself.
    ///
    /// - Parameter report: Called once after this method has returned, unless the query is cancelled.
    package func send(
        _ request: ClientRequest, of route: RoutingTable.Route, _ policy: Policy,
        report: @escaping (BridgeQuery.QueryResult) -> Void
    ) -> BridgeQuery {
        let query = BridgeQuery(isReading: request.method == "GET", report)
        query.run = startRun(request, to: route, policy: policy, delegate: query)
        return query
    }
}

/// A query in OpenCode 1's API that needs no client's connection. The query collects the whole response.
package final class BridgeQuery: BridgeDelegate {
    /// The result of the query.
    package enum QueryResult {
        /// The response, regardless of its status.
        case answered(status: Int, fields: [String: String], body: [UInt8])
        /// The error that a client would receive.
        case failed(GatewayError)
    }

    /// The maximum size of a response in bytes.
    private static let longest = 64 * 1024 * 1024

    fileprivate var run: BridgeRun?
    private let isReading: Bool
    private var report: ((QueryResult) -> Void)?
    private var status = 0
    private var fields: [String: String] = [:]
    private var body: [UInt8] = []

    fileprivate init(isReading: Bool, _ report: @escaping (QueryResult) -> Void) {
        self.isReading = isReading
        self.report = report
    }

    /// Cancels the query. An operation that changes something continues, unless the operation lasts as long as a turn.
    func cancel() {
        report = nil
        run?.abandon(isReading: isReading)
        run = nil
    }

    func answered(_ answer: ClientAnswer) {
        finish(.answered(status: answer.status, fields: answer.fields, body: answer.body))
    }

    func started(_ answer: ClientAnswer) {
        status = answer.status
        fields = answer.fields
        body = answer.body
    }

    func wrote(_ bytes: [UInt8]) -> Bool {
        body += bytes
        guard body.count > Self.longest else { return true }
        run?.abandon(isReading: true)
        finish(.failed(GatewayError(502, "OpenCode's response is larger than \(Self.longest >> 20) MiB.")))
        return false
    }

    func completed() { finish(.answered(status: status, fields: fields, body: body)) }
    func aborted() {
        finish(
            .failed(
                GatewayError(502, "OpenCode ended before its response was complete. Read OpenCode's output in the log.")
            ))
    }
    func failed(_ error: GatewayError) { finish(.failed(error)) }

    private func finish(_ outcome: QueryResult) {
        let report = report
        self.report = nil
        run = nil
        report?(outcome)
    }
}
