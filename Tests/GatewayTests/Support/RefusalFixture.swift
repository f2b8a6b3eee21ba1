import TestKit
import Testing

/// Sends requests that must be refused, each with another request hidden behind it, and sees that nothing gets through.
struct RefusalFixture {
    let instance: FakeInstance
    let gateway: GatewayUnderTest

    init(flags: [String] = []) throws {
        instance = try FakeInstance { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: "answered")
        }
        gateway = try GatewayUnderTest(flags: flags)
        try gateway.start(instance)
    }

    /// The request gets one answer, with this status and detail where one is given, and the connection is closed: neither what
    /// stands behind it in the same packet nor what comes after the answer is read as a request.
    func expectRefusal(_ request: String, _ status: Int = 400, detail: String? = nil) throws {
        let together = try gateway.raw(request + RequestText.smuggled)
        check(together, request, status, detail)
        // On its own: what is refused only because of what follows it is not refused.
        let connection = try gateway.connect()
        defer { connection.close() }
        try connection.write(request)
        if MessageLibrary.isStrict {
            check(try connection.readRawAnswer(), request, status, detail)
            return
        }
        let answer = try ResponseReader(connection).readAll()
        #expect(answer.status == status, "\(request.debugDescription)")
        // The connection may be gone already; a second answer is what must not come.
        try? connection.write(RequestText.smuggled)
        let rest = try connection.readRawAnswer()
        #expect(rest.statuses.allSatisfy { $0 == status }, "\(request.debugDescription)")
    }

    /// The connection is closed without a word.
    func expectClosing(_ request: String) throws {
        let answer = try gateway.raw(request + RequestText.smuggled)
        #expect(answer.text.isEmpty, "\(request.debugDescription)")
    }

    /// No request has reached the instance, and the next one does.
    func expectNothingGotThrough() throws {
        #expect(try gateway.request("GET", "/projects/demo/api/honest").text == "answered")
        #expect(instance.requests.values.map(\.target) == ["/honest"])
    }

    private func check(_ answer: RawAnswer, _ request: String, _ status: Int, _ detail: String?) {
        let comment = Comment(rawValue: request.debugDescription)
        // Its own refusal has its own words, and where it can't even see a method it says nothing.
        if MessageLibrary.isStrict {
            #expect(Set(answer.statuses).isSubset(of: [status]), comment)
            #expect(answer.ending == .closed, comment)
            #expect(answer.statuses.isEmpty || answer.text.contains("\r\nConnection: close\r\n"), comment)
            return
        }
        // libmicrohttpd 0.9.75 sends its own refusal of a Content-Length twice over; no second request has been read for that.
        #expect(Set(answer.statuses) == [status], comment)
        #expect(answer.statuses.count == 1 || detail == nil, comment)
        #expect(answer.ending == .closed, comment)
        #expect(answer.text.contains("\r\nConnection: close\r\n"), comment)
        if let detail {
            #expect(answer.text.hasSuffix("\r\n\r\n{\"detail\":\"\(detail)\"}"), comment)
        }
    }
}
