import Testing

@testable import Gateway

@Suite("Request targets: one way to read each")
struct RequestTargetTests {
    private func path(_ target: String) -> String? {
        RequestTarget(Array(target.utf8)).map { String(decoding: $0.path, as: UTF8.self) }
    }

    @Test("The authority of an absolute form is left out")
    func absoluteForm() {
        #expect(path("http://example.com/projects?a") == "/projects")
        #expect(path("HTTPS://[::1]:1//a") == "//a")
    }

    @Test(
        "A fragment is never sent: for one reader it would end the authority, for another belong to it",
        arguments: [
            "/projects#a", "/projects?a#b", "http://example.com#/projects", "http://a#b/projects", "#/projects",
        ])
    func fragments(target: String) {
        #expect(path(target) == nil)
    }
}
