import TestKit
import Testing

/// A kept-alive connection that the instance closes under a request: sent again once where that is safe, never where it is not
/// (RFC 9110 §9.2.2).
@Suite struct RetryTests {
    /// What the instance does with its next request.
    private enum Step: Sendable { case answer, answerThenClose, answerThenReset, closeUnread, resetUnread }

    private final class Instance: Sendable {
        let script: Monitor<[Step]>
        let ended = Recorded<UInt16>("a connection that the instance has ended")
        let bodies = Recorded<String>("a body")

        init(_ script: [Step]) { self.script = Monitor(script) }

        func serve(_ connection: TestConnection, _ head: ReceivedRequestHead) throws {
            let step = script.withLock { $0.isEmpty ? Step.answer : $0.removeFirst() }
            let request = try connection.readBody(of: head)
            bodies.append(request.text)
            if step != .closeUnread, step != .resetUnread {
                try connection.respond(200, text: head.method == "HEAD" ? "" : "answered")
            }
            switch step {
            case .answer: return
            case .answerThenClose, .closeUnread: connection.close()
            case .answerThenReset, .resetUnread: connection.reset()
            }
            ended.append(connection.peerPort)
        }
    }

    @Test func keptAliveConnectionsAreUsedAgain() throws {
        let instance = Instance([])
        let rig = try ProxyRig(instance.serve)
        for method in ["GET", "HEAD", "GET", "OPTIONS", "GET"] {
            #expect(try rig.request(method, "/x").status == 200)
        }
        #expect(Set(rig.carried.values.map(\.port)).count == 1)
    }

    @Test(arguments: [false, true])
    func aConnectionThatWasClosedWhileIdleIsReplaced(byReset: Bool) throws {
        let instance = Instance([byReset ? .answerThenReset : .answerThenClose])
        let rig = try ProxyRig(instance.serve)
        #expect(try rig.request("GET", "/1").text == "answered")
        try instance.ended.wait(forCount: 1)
        #expect(try rig.request("GET", "/2").text == "answered")
        #expect(rig.deliveries(of: "/2") == 1)
        #expect(rig.port(of: "/1") != rig.port(of: "/2"))
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"], [false, true])
    func aRequestThatIsSafeToRepeatIsSentOnceMore(method: String, byReset: Bool) throws {
        let instance = Instance([.answer, byReset ? .resetUnread : .closeUnread])
        let rig = try ProxyRig(instance.serve)
        #expect(try rig.request("GET", "/1").status == 200)
        let body = method == "PUT" ? Array("hello".utf8) : nil
        let answer = try rig.request(method, "/2", body: body)
        #expect(answer.status == 200)
        #expect(rig.deliveries(of: "/2") == 2)
        let ports = rig.carried.values.filter { $0.target == "/2" }.map(\.port)
        #expect(ports.first == rig.port(of: "/1"))
        #expect(ports.last != rig.port(of: "/1"))
        if method == "PUT" { #expect(instance.bodies.values.suffix(2) == ["hello", "hello"]) }
    }

    @Test func itIsSentOnceMoreOnly() throws {
        let instance = Instance([.answer, .closeUnread, .closeUnread, .closeUnread])
        let rig = try ProxyRig(instance.serve)
        #expect(try rig.request("GET", "/1").status == 200)
        #expect(try rig.request("GET", "/2").status == 502)
        #expect(rig.deliveries(of: "/2") == 2)
    }

    @Test func severalStaleConnectionsDoNotMeanSeveralTries() throws {
        let waiting = Recorded<Int>("a request at the instance")
        let letGo = Latch("the answers to go out")
        let rig = try ProxyRig { connection, head in
            if head.path == "/2" { return connection.close() }
            waiting.append(0)
            try letGo.wait()
            try connection.respond(200, text: "answered")
        }
        // Four at once: four connections are kept.
        let clients = try (0..<4).map { _ in try rig.send("GET", "/1") }
        try waiting.wait(forCount: 4)
        letGo.open()
        for client in clients { #expect(try ResponseReader(client).readAll().status == 200) }
        #expect(try rig.request("GET", "/2").status == 502)
        #expect(rig.deliveries(of: "/2") == 2)
    }

    @Test(arguments: ProxyRig.carriers)
    func aFreshConnectionIsNotTriedAgain(method: String) throws {
        let waiting = Latch("the request that keeps the only kept connection busy")
        let letGo = Latch("its answer to go out")
        let rig = try ProxyRig { connection, head in
            guard head.path == "/busy" else { return connection.close() }
            waiting.open()
            try letGo.wait()
            try connection.respond(200, text: "answered")
        }
        // On the connection of the health check.
        let busy = try rig.send("GET", "/busy")
        try waiting.wait()
        #expect(try rig.request(method, "/1").status == 502)
        #expect(rig.deliveries(of: "/1") == 1)
        letGo.open()
        #expect(try ResponseReader(busy).readAll().text == "answered")
    }

    @Test(arguments: ["POST", "PATCH"], [false, true])
    func aRequestThatIsNotSafeToRepeatIsDeliveredOnce(method: String, byReset: Bool) throws {
        let (rig, answers) = try Self.withinASecond {
            try ProxyRig(Instance([.answer, byReset ? .resetUnread : .closeUnread]).serve)
        } _: { rig in
            try Self.oneBehindTheOther(rig, [("GET", "/1"), (method, "/2")])
        }
        #expect(answers.map(\.status) == [200, 502])
        #expect(rig.deliveries(of: "/2") == 1 && rig.port(of: "/1") == rig.port(of: "/2"))
        #expect(
            answers[1].text.hasPrefix(#"{"detail":"Proxy error: OpenCode ended the connection without an answer ("#))
        #expect(
            answers[1].text.contains("The OpenCode of project demo may have taken the request, a prompt for example,")
                && answers[1].text.contains("look at the session before you send it again."))
    }

    /// What has to be done within a second, again with a new rig where any of the threads had to wait for the processor.
    private static func withinASecond<Result>(
        _ make: () throws -> ProxyRig, _ use: (ProxyRig) throws -> Result
    ) throws -> (ProxyRig, Result) {
        for _ in 0..<20 {
            let rig = try make()
            let start = ContinuousClock.now
            let result = try use(rig)
            if .now - start < .seconds(1) { return (rig, result) }
        }
        throw TestFailure("it took more than a second twenty times")
    }

    /// Requests on one connection to the gateway, each right behind the answer to the one before.
    private static func oneBehindTheOther(
        _ rig: ProxyRig, _ requests: [(method: String, path: String)]
    ) throws -> [TestResponse] {
        let client = try rig.gateway.connect()
        return try requests.map { method, path in
            try client.exchange(
                method, ProxyRig.target(path), headers: [GatewayUnderTest.authorization],
                body: method == "GET" ? nil : Array("{}".utf8))
        }
    }

    @Test(arguments: ["POST", "PATCH", "PUT"])
    func oneThatWasUsedWithinASecondCarriesWhatMustNotBeRepeated(method: String) throws {
        // A PUT whose body is streamed must not be repeated either.
        let body = [UInt8](repeating: 120, count: method == "PUT" ? 300_000 : 1024)
        let (rig, texts) = try Self.withinASecond {
            try ProxyRig(Instance([]).serve)
        } _: { rig in
            _ = try rig.request("GET", "/1")
            return try ["/2", "/3", "/4"].map { try rig.request(method, $0, body: body).text }
        }
        #expect(texts == ["answered", "answered", "answered"])
        #expect(rig.carried.values.count == 4 && Set(rig.carried.values.map(\.port)).count == 1)
    }

    @Test(arguments: ["POST", "PATCH", "PUT"])
    func oneThatHasRestedForASecondCarriesOnlyWhatMayBeRepeated(method: String) throws {
        let instance = Instance([])
        let rig = try ProxyRig(instance.serve)
        let body = [UInt8](repeating: 120, count: method == "PUT" ? 300_000 : 1024)
        let client = try rig.gateway.connect()
        _ = try rig.request("GET", "/1")
        try client.pause(.milliseconds(1050))
        #expect(try rig.request(method, "/2", body: body).text == "answered")
        #expect(rig.port(of: "/1") != rig.port(of: "/2"))
        // Both are kept for others.
        #expect(try rig.request("GET", "/3").text == "answered")
        #expect(Set(rig.carried.values.map(\.port)).count == 2)
    }

    @Test(arguments: ["POST", "PATCH"])
    func aRequestThatIsNotSafeToRepeatNeverMeetsAStaleConnection(method: String) throws {
        let instance = Instance([.answerThenClose])
        let rig = try ProxyRig(instance.serve)
        #expect(try rig.request("GET", "/1").status == 200)
        try instance.ended.wait(forCount: 1)
        #expect(try rig.request(method, "/2", body: Array("{}".utf8)).text == "answered")
        #expect(rig.deliveries(of: "/2") == 1)
    }

    @Test func anAnswerThatHasBegunIsNotAskedForAgain() throws {
        let rig = try ProxyRig { connection, head in
            guard head.path == "/2" else { return try connection.respond(200, text: "answered") }
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.close()
        }
        #expect(try rig.request("GET", "/1").status == 200)
        let answer = try rig.request("GET", "/2")
        #expect(answer.text == "hello")
        #expect(answer.ending != .complete)
        #expect(rig.deliveries(of: "/2") == 1)
    }

    @Test func bytesBetweenTwoAnswersEndTheConnection() throws {
        let answered = Latch("the client to have its answer")
        let sent = Latch("the surplus to be sent")
        let rig = try ProxyRig { connection, head in
            try connection.respond(200, text: "answered")
            guard head.path == "/1" else { return }
            try answered.wait()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
            sent.open()
        }
        #expect(try rig.request("GET", "/1").text == "answered")
        answered.open()
        try sent.wait()
        // What came unasked is nobody's answer.
        #expect(try rig.request("GET", "/2").text == "answered")
        #expect(rig.port(of: "/1") != rig.port(of: "/2"))
    }

    @Test(arguments: [false, true], ProxyRig.carriers)
    func moreBytesThanPromisedAreNobodysAnswer(isChunked: Bool, method: String) throws {
        let rig = try ProxyRig { connection, head in
            guard head.path == "/1" else { return try connection.respond(200, text: "answered") }
            let body =
                isChunked
                ? "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" : "Content-Length: 5\r\n\r\nhello"
            try connection.write("HTTP/1.1 200 OK\r\n\(body)HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
        }
        let answer = try rig.request(method, "/1")
        #expect(answer.status == 502 || answer.ending != .complete)
        #expect(try rig.request("GET", "/2").text == "answered")
        #expect(rig.port(of: "/1") != rig.port(of: "/2"))
    }

    @Test(
        arguments: ["204 No Content\r\n\r\n", "200 OK\r\nContent-Length: 0\r\n\r\n", "304 Not Modified\r\n\r\n"],
        ProxyRig.carriers)
    func moreBytesThanPromisedWithoutABodyAreNobodysAnswer(head: String, method: String) throws {
        let rig = try ProxyRig { connection, request in
            guard request.path == "/1" else { return try connection.respond(200, text: "answered") }
            try connection.write("HTTP/1.1 \(head)HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
        }
        for _ in 0..<3 {
            let answer = try rig.request(method, "/1")
            #expect(answer.status == 502)
            #expect(try rig.request("GET", "/2").text == "answered")
            #expect(rig.port(of: "/1") != rig.port(of: "/2"))
        }
    }
}
