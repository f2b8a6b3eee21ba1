import Glibc
import TestKit
import Testing

extension GatewayUnderTest {
    /// Makes a project whose instance is `instance`, and leaves it stopped.
    func prepare(_ instance: FakeInstance, as project: String = "demo") throws {
        try prepare(port: instance.port, as: project)
    }

    /// Makes a project whose instance announces this port, and leaves it stopped.
    func prepare(port: UInt16, as project: String = "demo") throws {
        try makeProject(project)
        _ = try home.write("\(port)\n", to: "\(project)/upstream-port")
    }

    /// Asks until the answer is as it should be, for what takes a moment to be noticed; the last answer in any case.
    func soon(
        _ method: String, _ target: String, within limit: Duration = .seconds(5), _ isRight: (TestResponse) -> Bool
    ) throws -> TestResponse {
        let end = ContinuousClock.now + limit
        let connection = try connect()
        defer { connection.close() }
        while true {
            let answer = try connection.exchange(method, target, headers: [Self.authorization])
            if isRight(answer) || ContinuousClock.now > end { return answer }
        }
    }

    /// As ``expect(_:_:_:_:sourceLocation:)``, for what takes a moment to be noticed.
    func expectSoon(
        _ method: String, _ target: String, _ status: Int, _ body: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try soon(method, target) { $0.status == status && $0.text == body }
        #expect(answer.status == status, sourceLocation: sourceLocation)
        #expect(answer.text == body, sourceLocation: sourceLocation)
    }
}
