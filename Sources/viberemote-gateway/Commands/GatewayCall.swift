import EventLoop
import HTTPClient
import HTTPTypes
import Settings

/// One request to the running gateway and its whole answer, on a loop of its own that runs until the answer is there.
final class GatewayCall: UpstreamFollower, TimerHandler {
    /// An answer.
    struct Answer {
        let status: Int
        let body: [UInt8]
    }

    /// There is no answer; one sentence.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A start is answered within half a minute; a stop may take two of OpenCode's graces.
    private static let timeout = Duration.seconds(120)
    private static let longestBody = 64 << 20

    private let loop: EventLoop
    private var status = 0
    private var body: [UInt8] = []
    private var result: Result<Answer, Failure>?

    private init(_ loop: EventLoop) { self.loop = loop }

    /// Asks the gateway that listens on `address`; `key` opens it where the route needs one.
    static func perform(
        _ method: Method, _ target: String, to address: ListenAddress, key: Secret?
    ) throws(Failure) -> Answer {
        guard address.port != 0 else {
            throw Failure(
                description:
                    "The settings let the gateway pick a free port (\(address)): name the one that it has picked "
                    + "with --listen.")
        }
        do {
            let loop = try EventLoop()
            let client = try UpstreamClient(loop: loop, host: host(of: address))
            let call = GatewayCall(loop)
            return try call.run(request(method, target, address, key), client, address).get()
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(description: "The gateway could not be asked: \(error).")
        }
    }

    private func run(
        _ request: UpstreamRequest, _ client: UpstreamClient, _ address: ListenAddress
    ) throws -> Result<Answer, Failure> {
        let timer = loop.timer(self)
        loop.arm(timer, after: Self.timeout)
        let exchange = client.start(request, follower: self)
        try loop.run()
        exchange?.cancel()
        loop.cancel(timer)
        client.stop()
        loop.letGo()
        switch result {
        case .success(let answer): return .success(answer)
        case .failure(let failure): return .failure(Failure(description: "\(Self.place(address)) \(failure)"))
        case nil: return .failure(Failure(description: "\(Self.place(address)) gives no answer."))
        }
    }

    private static func request(
        _ method: Method, _ target: String, _ address: ListenAddress, _ key: Secret?
    ) -> UpstreamRequest {
        var fields = FieldList()
        fields.append("Accept", "application/json")
        if let key { fields.append("Authorization", "Bearer " + String(decoding: key.bytes, as: UTF8.self)) }
        return UpstreamRequest(
            port: address.port, method: method, methodName: method.name ?? "GET", target: Array(target.utf8)[...],
            fields: fields,
            body: .none)
    }

    /// Where a gateway that listens on `address` is reached from this machine: one that listens everywhere, on loopback.
    private static func host(of address: ListenAddress) -> String {
        switch address.host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        case let host: address.isIPv6 ? "[\(host)]" : host
        }
    }

    private static func place(_ address: ListenAddress) -> String { "\(host(of: address)):\(address.port)" }

    private func end(_ result: Result<Answer, Failure>) {
        self.result = result
        loop.stop()
    }

    func timerFired(_ timer: LoopTimer) {
        end(.failure(Failure(description: "did not answer within 2 minutes.")))
    }

    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) { status = head.status }

    func answerBody(_ bytes: Span<UInt8>) -> Bool {
        if body.count < Self.longestBody { body.append(bytes) }
        return true
    }

    func answerEnded(trailers: FieldList) { end(.success(Answer(status: status, body: body))) }

    func answerFailed(_ failure: UpstreamFailure) {
        switch failure {
        case .refused: end(.failure(Failure(description: "accepts no connection.")))
        case .noAnswer(let reason), .badAnswer(let reason), .brokenBody(let reason):
            end(.failure(Failure(description: "gave no answer of a gateway: \(reason).")))
        }
    }

    func answerSettled() {}

    func uploadDrained() {}

    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) { socket.close() }
}
