import HTTPTypes
import Testing

@testable import HTTPClient

@Suite("Which requests may use a kept-alive connection (RFC 9110 §9.2.2)")
struct UpstreamRequestTests {
    private func mayBeRepeated(
        _ method: Method, body: UpstreamRequest.Body = .none, mayUpgrade: Bool = false
    ) -> Bool {
        UpstreamRequest(
            port: 4096, method: method, methodName: "any", target: [UInt8(ascii: "/")], fields: FieldList(), body: body,
            mayUpgrade: mayUpgrade
        ).mayBeRepeated
    }

    @Test("Those that can be sent again without harm", arguments: [Method.get, .head, .put, .delete, .options, .trace])
    func idempotent(method: Method) {
        #expect(mayBeRepeated(method))
        #expect(mayBeRepeated(method, body: .whole([])))
        #expect(mayBeRepeated(method, body: .whole([1, 2, 3])))
    }

    @Test("Not those whose body is gone once it was sent", arguments: [nil, 0, 5] as [UInt64?])
    func streamed(length: UInt64?) {
        for method in [Method.get, .put, .delete] {
            #expect(!mayBeRepeated(method, body: .streamed(length: length)))
        }
    }

    @Test("Not those that may take the connection over", arguments: [Method.get, .options])
    func upgrade(method: Method) {
        #expect(!mayBeRepeated(method, mayUpgrade: true))
    }

    @Test("Not those that may do harm when they are done twice", arguments: [Method.post, .patch, .connect, .other])
    func notIdempotent(method: Method) {
        #expect(!mayBeRepeated(method))
        #expect(!mayBeRepeated(method, body: .whole([])))
        #expect(!mayBeRepeated(method, body: .whole([1, 2, 3])))
        #expect(!mayBeRepeated(method, body: .streamed(length: 5)))
    }
}
