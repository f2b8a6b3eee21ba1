import OpenCode
import Testing

@Suite struct EventStreamTraitsTests {
    @Test(arguments: [
        ("1.0.223", 90), ("1.1.11", 90), ("1.2.6", 90), ("1.2.7", 30), ("1.2.27", 30), ("1.18.33", 30),
        ("1.2.7-beta", 30),
        ("2", 30), (nil, 90), ("dev", 90),
    ]) func silenceIsThreeHeartbeatsOfOpenCode1(version: String?, seconds: Int) {
        let traits = EventStreamTraits(.one, version: version)
        #expect(traits.silence == seconds && traits.path == Array("/global/event".utf8) && traits.settling == 50)
    }

    @Test(
        arguments: [
            ("1.0.223", false), ("1.1.11", false), ("1.2.20", false), ("1.2.21", true), ("1.18.34", true), (nil, true),
            ("dev", true),
        ] as [(String?, Bool)])
    func `directories are resolved from 1.2.21 on`(version: String?, isResolved: Bool) {
        #expect(EventStreamTraits(.one, version: version).resolvesDirectories == isResolved)
    }

    @Test func openCode2HasItsOwn() {
        let traits = EventStreamTraits(.two, version: "2.0.15")
        #expect(traits.silence == 45 && traits.path == Array("/api/event".utf8) && traits.settling == 0)
    }

    @Test func onlyPlainPathsAreTheGatewaysToServe() {
        func stream(_ path: String, _ family: APIFamily?) -> OpenCodeEventStream? {
            OpenCodeEventStream(path: Array(path.utf8)[...], of: family)
        }
        #expect(stream("/event", .one) == .directory && stream("/global/event", .one) == .everything)
        #expect(stream("/api/event", .two) == .everything && stream("/event", .two) == nil)
        // 1.18 also has OpenCode 2's new stream, which is passed through.
        for path in ["/api/event", "/event/", "//event", "/Event", "/%65vent", "/global/event/x", "/events"] {
            #expect(stream(path, .one) == nil)
        }
        #expect(stream("/event", nil) == .directory)
    }
}
