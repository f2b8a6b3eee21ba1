// SPDX-License-Identifier: Apache-2.0

package import Addresses

/// The events and actions of the state machine.
extension InstanceStateMachine {
    /// A deadline or delay of the machine. The machine's owner maintains at most one timer of each kind.
    package enum Timer: Sendable, Hashable, CaseIterable {
        /// The deadline for the whole start.
        case start
        /// The deadline for the response to the callers of a start.
        case answer
        /// The delay before the next health check.
        case probe
        /// The delay after which a health check counts as slow, and the interval at which a slow check is examined
        /// again.
        case late
        /// The delay until the next ``Recovery/Stage`` of a ready instance.
        case steady
        /// The delay before the restart after a crash.
        case restart
        /// The deadline for the server's end after SIGTERM.
        case terminate
        /// The deadline for the server's end after SIGKILL.
        case kill
    }

    /// An event that the machine handles.
    package enum Event: Sendable, Equatable {
        /// A client requests a ready instance.
        case startRequested
        /// A client requests a stop of the instance.
        case stopRequested
        /// An event of the instance's server.
        case supervised(SupervisedEvent)
        /// Another project's instance has announced the same address later. The value is the name of that project.
        case displaced(by: String)
        /// The health check with this number has ended.
        case probed(UInt64, HealthFinding)
        /// The time without a healthy response and without data, and whether data has arrived since the last
        /// measurement.
        case measured(quiet: Duration, progressed: Bool)
        /// A timer has fired. `tail` contains the server's last lines of output.
        case fired(Timer, tail: [String] = [])
    }

    /// An action for the owner. Actions must be performed in order.
    package enum Action: Sendable, Equatable {
        /// Publish the new state to other components.
        case publish
        /// Start the server through the supervisor.
        case launch
        /// Check the instance's health at the address within the timeout. The result must have the same number. Later
        /// checks have greater numbers.
        case probe(number: UInt64, address: InstanceAddress, timeout: Duration)
        /// Measure how long the instance has sent no sign of life.
        case measure
        /// Start a timer with this duration.
        case arm(Timer, Duration)
        /// Stop a timer if it is running.
        case disarm(Timer)
        /// Ask all processes of the instance to end.
        case terminate
        /// Kill all processes of the instance.
        case kill
        /// Return this result to all callers that wait for a start.
        case answerStarts(StartAnswer)
        /// Return this result to all callers that wait for a stop.
        case answerStops(StopAnswer)
    }
}

/// The result for the callers of a start.
package enum StartAnswer: Sendable, Equatable {
    /// The instance was started for these callers and is ready.
    case started(address: InstanceAddress)
    /// The instance was already ready, or it was found running.
    case alreadyRunning(address: InstanceAddress)
    /// The time limit of the callers was reached. The start continues, and the instance is in this state.
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
