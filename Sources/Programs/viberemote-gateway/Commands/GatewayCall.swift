// SPDX-License-Identifier: Apache-2.0

import Addresses
import Encodings
import EventLoop
import HTTPClient
import HTTPServer
import HTTPTypes
import JSONText
import Settings

/// A request of this program to the running gateway. Each call uses its own loop, which runs until
/// the response has arrived.
enum GatewayCall {
    /// The response of a gateway.
    struct Response {
        let status: Int
        let body: [UInt8]
    }

    /// The error for a missing response, as a message.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The time limit for the response. A start receives a response within half a minute, and a stop may take two of
    /// OpenCode's grace periods.
    private static let timeout = Duration.seconds(120)
    /// The time limit for the response of `/health`, which every gateway sends at once.
    private static let healthTimeout = Duration.seconds(10)
    private static let longestBody = 64 << 20

    /// Sends a request to the gateway at `address`.
    ///
    /// - Parameters:
    ///   - body: The JSON body; nil if the request has none.
    ///   - key: The key, if the endpoint requires one.
    ///   - timeout: The time limit for the response.
    static func perform(
        _ method: Method, _ target: String, body: [UInt8]? = nil, to address: ListenAddress, key: Secret?,
        within timeout: Duration = timeout
    ) throws(Failure) -> Response {
        guard address.port != 0 else {
            throw Failure(
                description:
                    "The settings select port 0 (\(address)), so this command does not know the gateway's port. "
                    + "Set --listen to the address that the gateway printed.")
        }
        do {
            let loop = try EventLoop()
            let request = request(method, target, body: body, to: try reachable(address), key: key)
            return try run(request, through: UpstreamClient(loop: loop), on: loop, within: timeout)
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(description: "Cannot send a request to the gateway: \(error).")
        }
    }

    /// Checks that a gateway runs at `address`, before the caller sends a key there. Another program may use the address.
    static func requireGateway(at address: ListenAddress) throws(Failure) {
        let health = try perform(.get, "/health", to: address, key: nil, within: healthTimeout)
        guard isHealth(status: health.status, body: health.body) else {
            throw Failure(description: "The program at \(address) is not a gateway.")
        }
    }

    /// Returns whether this response to `/health` comes from a gateway.
    static func isHealth(status: Int, body: [UInt8]) -> Bool {
        status == 200
            && String(decoding: body, as: UTF8.self).contains(#""service":"\#(GatewayVersion.program)""#)
    }

    /// Returns the message about a response that refuses a request for named keys.
    static func refusal(_ response: Response, _ configuration: Configuration) -> String {
        let detail = ErrorBody(jsonText: response.body)?.detail
        let sentence = PlainText.lines(
            detail ?? "The gateway responded with status \(response.status). See the gateway's log for the reason.")
        if response.status == 404, detail == GatewayError.notFound.sentence {
            return "The running gateway does not support this command. Restart it with this version of the program."
        }
        return response.status == 401 ? refusal(sentence, of: configuration) : sentence
    }

    /// Returns a message with the name of the key that the gateway does not accept.
    static func refusal(_ sentence: String, of configuration: Configuration) -> String {
        guard let key = configuration.keys.first else { return sentence }
        return
            "\(sentence): the running gateway does not accept the key of \(key.name). Use a key of the running gateway."
    }

    private static func run(
        _ request: UpstreamRequest, through client: UpstreamClient, on loop: EventLoop, within timeout: Duration
    ) throws -> Response {
        var outcome: WholeAnswer.RequestResult?
        WholeAnswer.send(request, of: client, within: timeout, longestBody: longestBody) {
            outcome = $0
            loop.stop()
        }
        if outcome == nil { try loop.run() }
        client.stop()
        loop.releaseHandlers()
        let problem: String
        switch outcome {
        case .answered(let status, let body): return Response(status: status, body: body)
        case .failed(.refused): problem = "refuses connections."
        case .failed(.outOfDescriptors):
            problem = "received no request, because this program has no file descriptor left."
        case .failed(.noAnswer(let reason)), .failed(.badAnswer(let reason)), .failed(.brokenBody(let reason)):
            problem = "did not respond as a gateway does: \(reason)."
        case .late: problem = "did not respond within \(timeout.text(.setting))."
        case nil: problem = "did not respond."
        }
        throw Failure(description: "\(request.instance) \(problem)")
    }

    private static func request(
        _ method: Method, _ target: String, body: [UInt8]?, to gateway: InstanceAddress, key: Secret?
    ) -> UpstreamRequest {
        var fields = FieldList()
        fields.append("Accept", "application/json")
        if let key { fields.append("Authorization", "Bearer " + String(decoding: key.bytes, as: UTF8.self)) }
        if body != nil { fields.append("Content-Type", "application/json") }
        return UpstreamRequest(
            instance: gateway, method: method, methodName: method.name ?? "GET", target: Array(target.utf8)[...],
            fields: fields, body: body.map { .whole($0) } ?? .none)
    }

    /// Returns the address of a gateway as seen from this machine. If the gateway listens on all addresses, the result
    /// is the loopback address.
    private static func reachable(_ address: ListenAddress) throws(Failure) -> InstanceAddress {
        let host =
            switch address.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            case let host: host
            }
        guard let ip = IPAddress(host) else {
            throw Failure(
                description:
                    "\(address) is not a numeric address. Set --listen to the IP address and port of the gateway.")
        }
        return InstanceAddress(ip: ip, port: address.port)
    }
}

/// The body of an error of the gateway.
struct ErrorBody: JSONReadable {
    /// The message.
    let detail: String

    init(json: JSON) throws(JSONMismatch) { detail = try json.required("detail") }
}
