// SPDX-License-Identifier: Apache-2.0

package import Addresses

/// The events and actions of the state machine.
extension InstanceStateMachine {
    /// A deadline or delay that the owner maintains for the machine, at most one of each kind.
    package enum Timer: Sendable, Hashable, CaseIterable {
        /// The deadline for the whole start.
        case start
        /// The deadline for the response to the callers of a start.
        case answer
        /// The delay before the next health check.
        case probe
        /// The delay until a health check counts as slow, and then until it is examined again.
        case late
        /// The delay until a ready instance counts as steady.
        case steady
        /// The delay before the restart after a crash.
        case restart
        /// The deadline for the end after SIGTERM.
        case terminate
        /// The deadline for the end after SIGKILL.
        case kill
    }

    /// An event that the machine handles.
    package enum Event: Sendable, Equatable {
        /// A client requests the instance to be ready.
        case startRequested
        /// A client requests the instance to be stopped.
        case stopRequested
        /// An event of the instance's server.
        case supervised(SupervisedEvent)
        /// The instance of another project, named here, has announced the same address later.
        case displaced(by: String)
        /// The health check with this number has ended.
        case probed(UInt64, HealthFinding)
        /// The time without a healthy response and without a byte, and whether bytes have arrived since the last
        /// measurement.
        case measured(quiet: Duration, progressed: Bool)
        /// An armed timer has fired. The value contains the last lines of output so far.
        case fired(Timer, tail: [String] = [])
    }

    /// An action for the owner. Actions must be performed in order.
    package enum Action: Sendable, Equatable {
        /// Publish the new state to other components.
        case publish
        /// Start the server through the supervisor.
        case launch
        /// Check the health at the address within the timeout. The result carries the same number; later checks have
        /// greater numbers.
        case probe(number: UInt64, address: InstanceAddress, timeout: Duration)
        /// Measure how long the instance has been quiet.
        case measure
        /// Start a timer with this duration.
        case arm(Timer, Duration)
        /// Stop a timer if it is running.
        case disarm(Timer)
        /// Ask all processes of the instance to end.
        case terminate
        /// Kill all processes of the instance.
        case kill
        /// Answer all callers that wait for a start.
        case answerStarts(StartAnswer)
        /// Answer all callers that wait for a stop.
        case answerStops(StopAnswer)
    }
}

/// The result for the callers of a start.
package enum StartAnswer: Sendable, Equatable {
    /// The instance was started for these callers and is ready.
    case started(address: InstanceAddress)
    /// The instance was ready before, or was found running.
    case alreadyRunning(address: InstanceAddress)
    /// The time limit of the callers was reached. The start continues and has reached this state.
    case pending(InstanceState)
    /// There is no such project.
    case notFound
    /// The instance is not ready. The value is the wire contract's message with the reason.
    case failed(String)
}

/// The result for the callers of a stop.
package enum StopAnswer: Sendable, Equatable {
    /// No process of the instance remains.
    case stopped
    /// There is no such project.
    case notFound
    /// The instance could not be ended. The value is the wire contract's message with the reason.
    case failed(String)
}
