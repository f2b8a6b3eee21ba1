import HTTPTypes
import Testing

@testable import HTTPClient

@Suite("How long an instance lets a connection rest")
struct KeepAliveFieldTests {
    private func rest(_ values: String...) -> Duration? {
        var fields = FieldList()
        fields.append("Connection", "keep-alive")
        for value in values { fields.append("Keep-Alive", value) }
        return KeepAliveField.longestRest(fields)
    }

    @Test("A second less than it says, so that a request still arrives in time")
    func said() {
        #expect(rest("timeout=5") == .seconds(4))
        #expect(rest("timeout=72, max=1000") == .seconds(71))
        #expect(rest("max=5,TimeOut = 2") == .seconds(1))
        #expect(rest("timeout=999999999") == .seconds(999_999_998))
    }

    @Test("Not at all where a second is all that there is")
    func short() {
        #expect(rest("timeout=1") == .zero && rest("timeout=0") == .zero)
    }

    @Test("The shortest of several counts")
    func several() {
        #expect(rest("timeout=9, timeout=3", "timeout=6") == .seconds(2))
    }

    @Test(
        "What says nothing is no limit",
        arguments: ["", "max=5", "timeout", "timeout=", "timeout=x", "timeout=-5", "timeout=5s", "timeout=9999999999"])
    func nothing(value: String) {
        #expect(rest(value) == nil)
        #expect(rest() == nil)
    }
}
