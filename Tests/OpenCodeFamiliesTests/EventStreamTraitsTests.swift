// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite struct EventStreamTraitsTests {
    @Test(arguments: [
        ("1.0.223", 90), ("1.1.11", 90), ("1.2.6", 90), ("1.2.7", 30), ("1.2.27", 30), ("1.18.33", 30),
        ("1.2.7-beta", 30),
        ("2", 30), (nil, 90), ("dev", 90),
    ]) func `the silence limit of OpenCode 1 is 90 s, and 30 s from 1.2.7 on`(version: String?, seconds: Int) {
        let traits = EventStreamTraits(.one, version: version)

        #expect(traits.silence == seconds)
        #expect(traits.path == Array("/global/event".utf8))
        #expect(traits.settling == 50)
    }

    @Test(
        arguments: [
            ("1.0.223", false), ("1.1.11", false), ("1.2.20", false), ("1.2.21", true), ("1.18.34", true), (nil, true),
            ("dev", true),
        ] as [(String?, Bool)])
    func `directories are resolved from 1.2.21 on`(version: String?, isResolved: Bool) {
        #expect(EventStreamTraits(.one, version: version).resolvesDirectories == isResolved)
    }

    @Test func `the silence limit of OpenCode 2 is 45 s, and its event path is /api/event`() {
        let traits = EventStreamTraits(.two, version: "2.0.15")

        #expect(traits.silence == 45)
        #expect(traits.path == Array("/api/event".utf8))
        #expect(traits.settling == 0)
    }

    @Test func `only the exact event paths of a family are its event streams`() {
        func stream(_ path: String, _ family: APIFamily?) -> OpenCodeEventStream? {
            OpenCodeEventStream(path: Array(path.utf8)[...], of: family)
        }

        #expect(stream("/event", .one) == .directory)
        #expect(stream("/global/event", .one) == .everything)
        #expect(stream("/api/event", .two) == .everything)
        #expect(stream("/event", .two) == nil)

        // 1.18 also has the new stream of OpenCode 2, which the gateway forwards unchanged.
        for path in ["/api/event", "/event/", "//event", "/Event", "/%65vent", "/global/event/x", "/events"] {
            #expect(stream(path, .one) == nil)
        }

        #expect(stream("/event", nil) == .directory)
    }
}
