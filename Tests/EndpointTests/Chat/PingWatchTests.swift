import Testing

@testable import Gateway

/// The time after which a chat's client counts as disconnected.
@Suite struct PingWatchTests {
    @Test func aClientThatAnswersIsAskedAgain() {
        var watch = PingWatch()
        for _ in 0..<3 {
            #expect(watch.tick(isBlocked: false) == .ping)
            watch.heard()
        }
        #expect(watch.tick(isBlocked: false) == .ping)
        #expect(watch.tick(isBlocked: false) == .cut)
    }

    @Test func takingThePingItselfIsNoSignOfLife() {
        var watch = PingWatch()
        #expect(watch.tick(isBlocked: false) == .ping)
        watch.moved()
        #expect(watch.tick(isBlocked: false) == .cut)
    }

    @Test func aClientThatTakesWhatWaitsIsThereWithoutAPing() {
        var watch = PingWatch()
        #expect(watch.tick(isBlocked: false) == .ping)
        for _ in 0..<3 {
            watch.moved()
            #expect(watch.tick(isBlocked: true) == .wait)
        }
        #expect(watch.tick(isBlocked: true) == .cut)
    }
}
