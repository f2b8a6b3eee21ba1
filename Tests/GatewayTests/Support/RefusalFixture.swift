// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Sends requests that must be rejected, each followed by a hidden request, and checks that none reaches the instance.
struct RefusalFixture {
    let instance: FakeOpenCode.Server
    let gateway: GatewayUnderTest

    init(flags: [String] = []) throws {
        instance = try FakeOpenCode.answering()
        gateway = try GatewayUnderTest(flags: flags)
        try gateway.start(instance)
    }

    /// Expects one response, with this status and the detail if one is given, and then the end of the connection. Bytes
    /// after the request in the same packet, or after the response, are not read as a request.
    func expectRefusal(_ request: String, _ status: Int = 400, detail: String? = nil) throws {
        let together = try gateway.raw(request + RequestText.smuggled)
        check(together, to: request, is: status, detail)
        // Send the request alone first, because the refusal must not depend on the bytes that follow it.
        let connection = try gateway.connect()
        defer { connection.close() }
        try connection.write(request)
        if MessageLibrary.isStrict {
            check(try connection.readRawAnswer(), to: request, is: status, detail)
            return
        }
        let answer = try ResponseReader(connection).readAll()
        #expect(answer.status == status, "\(request.debugDescription)")
        // The connection may already be closed. A second response must not arrive.
        try? connection.write(RequestText.smuggled)
        let remainder = try connection.readRawAnswer()
        #expect(remainder.statuses.allSatisfy { $0 == status }, "\(request.debugDescription)")
    }

    /// Expects that the connection is closed without a response.
    func expectClosing(_ request: String) throws {
        let answer = try gateway.raw(request + RequestText.smuggled)
        #expect(answer.text.isEmpty, "\(request.debugDescription)")
    }

    /// Expects that no request has reached the instance, and that the next one does.
    func expectNothingGotThrough() throws {
        #expect(try gateway.request("GET", "/projects/demo/api/honest").text == "answered")
        #expect(instance.requests.values.map(\.target) == ["/honest"])
    }

    private func check(_ answer: RawAnswer, to request: String, is status: Int, _ detail: String?) {
        let comment = Comment(rawValue: request.debugDescription)
        // If the library is strict, it writes its refusal itself, and sends nothing if it cannot find a method.
        if MessageLibrary.isStrict {
            #expect(Set(answer.statuses).isSubset(of: [status]), comment)
            #expect(answer.ending == .closed, comment)
            #expect(answer.statuses.isEmpty || answer.text.contains("\r\nConnection: close\r\n"), comment)
            return
        }
        // libmicrohttpd 0.9.75 sends its own refusal of a Content-Length twice. It has not read a second request in
        // this case.
        #expect(Set(answer.statuses) == [status], comment)
        #expect(answer.statuses.count == 1 || detail == nil, comment)
        #expect(answer.ending == .closed, comment)
        #expect(answer.text.contains("\r\nConnection: close\r\n"), comment)
        if let detail {
            #expect(answer.text.hasSuffix("\r\n\r\n{\"detail\":\"\(detail)\"}"), comment)
        }
    }
}
