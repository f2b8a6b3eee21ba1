import OpenCode
import Testing

@Suite struct HealthAnswerTests {
    private func reason(_ status: Int, _ body: String) -> String? {
        switch HealthAnswer(status: status, body: Array(body.utf8)) {
        case .unhealthy(let reason) where status != 401: reason
        case .unauthorized(let reason) where status == 401: reason
        default: nil
        }
    }

    @Test(arguments: Fixtures.versions)
    func aRecordedAnswerIsHealthy(version: String) {
        let body = "{\"healthy\":true,\"version\":\"\(version)\"}"
        #expect(HealthAnswer(status: 200, body: Array(body.utf8)) == .healthy(version: version))
    }

    @Test func aMissingVersionIsForgiven() {
        #expect(HealthAnswer(status: 200, body: Array("{\"healthy\":true}".utf8)) == .healthy(version: "unknown"))
    }

    @Test(arguments: [
        (200, "{\"healthy\":false,\"version\":\"1.2.27\"}", "not healthy"),
        (200, "<!doctype html><html></html>", "web page"),
        (200, " \n<html>", "web page"),
        (200, "healthy", "not OpenCode's health JSON"),
        (200, "", "not OpenCode's health JSON"),
        (200, "{\"healthy\":\"yes\"}", "not OpenCode's health JSON"),
        (401, "", "password"),
        (404, "{}", "too old"),
        (500, "{\"name\":\"BunInstallFailedError\"}", "500"),
        (302, "", "302"),
    ])
    func everyOtherAnswerHasItsOwnReason(status: Int, body: String, word: String) {
        #expect(reason(status, body)?.contains(word) == true)
    }
}
