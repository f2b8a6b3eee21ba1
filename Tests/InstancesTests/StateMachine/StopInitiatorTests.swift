// SPDX-License-Identifier: Apache-2.0

import Instances
import Testing

/// Tests who or what initiated an instance's end, as opposed to an instance that ends by itself.
@Suite struct StopInitiatorTests {
    @Test(arguments: Origin.allCases) func `only an instance that is ended on purpose has a stop initiator`(
        origin: Origin
    ) {
        let ender = origin.machine().stopInitiator

        switch origin {
        case .stopping, .stoppingAndStartingAgain: #expect(ender == .request)
        case .stoppingElsewhere: #expect(ender == .outside)
        case .timedOut:
            guard case .gateway = ender else {
                Issue.record("\(String(describing: ender))")
                return
            }
        default: #expect(ender == nil, "\(origin)")
        }
    }

    @Test func `the gateway is the stop initiator of an unhealthy instance that it may restart`() {
        var limits = InstanceLimits()
        limits.restartsUnhealthy = true
        var machine = InstanceStateMachine(limits: limits)
        for event in Origin.slow.events { _ = machine.handle(event) }

        #expect(machine.stopInitiator == nil)

        let actions = machine.handle(.measured(quiet: .seconds(60), progressed: false))
        let reason = "The instance responded to no health check and sent no data for 60 s."

        #expect(machine.stopInitiator == .gateway(reason: reason))
        // The loops are notified before the server is asked to end.
        #expect(actions.first == .publish)
        #expect(actions.contains(.terminate))
        #expect(
            InstanceMessage.ended("demo", by: .gateway(reason: reason))
                == "OpenCode instance for demo was stopped by the gateway before it responded: \(reason) "
                + "Check the session before you send the request again.")
        #expect(
            InstanceMessage.ended("demo", by: .outside)
                == "OpenCode instance for demo was stopped by its service manager, not by the gateway, before it "
                + "responded. Check the session before you send the request again.")
    }
}
