// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The properties of a unit (org.freedesktop.systemd1(5), "Unit Objects" and "Service Unit Objects"). A property is nil
/// if the manager has not reported it.
package struct UnitProperties: Sendable, Equatable {
    /// The active state: `active`, `reloading`, `inactive`, `failed`, `activating`, `deactivating`, …
    package var activeState: String?
    /// The substate, which depends on the unit's type, such as `running`, `auto-restart`, `stop-sigterm`.
    package var subState: String?
    /// The load state: `loaded`, `not-found`, `bad-setting`, `error`, `masked`, …
    package var loadState: String?
    /// The invocation ID of the current run, 32 hexadecimal digits; empty if the unit never ran.
    package var invocation: String?
    /// The number of the main process; 0 if there is none.
    package var mainProcess: UInt32?
    /// The result of the last run: `success`, `exit-code`, `signal`, `core-dump`, `oom-kill`, `start-limit-hit`, …
    package var result: String?
    /// The number of automatic restarts by systemd.
    package var restarts: UInt32?
    /// The delay before an automatic restart in microseconds.
    package var restartDelay: UInt64?
    /// The path of the control group below the cgroup file system; empty if there is none.
    package var controlGroup: String?
    /// The start time of the main process in microseconds since 1970.
    package var mainProcessStarted: UInt64?
    /// The way in which the main process ended (`CLD_EXITED`, `CLD_KILLED`, `CLD_DUMPED`); 0 if it has not ended.
    package var exitCode: Int32?
    /// The exit status or signal number of the main process.
    package var exitStatus: Int32?

    /// Creates an empty set of properties.
    package init() {}

    /// Replaces each property that `newer` contains with the newer value.
    package mutating func merge(_ newer: UnitProperties) {
        activeState = newer.activeState ?? activeState
        subState = newer.subState ?? subState
        loadState = newer.loadState ?? loadState
        invocation = newer.invocation ?? invocation
        mainProcess = newer.mainProcess ?? mainProcess
        result = newer.result ?? result
        restarts = newer.restarts ?? restarts
        restartDelay = newer.restartDelay ?? restartDelay
        controlGroup = newer.controlGroup ?? controlGroup
        mainProcessStarted = newer.mainProcessStarted ?? mainProcessStarted
        exitCode = newer.exitCode ?? exitCode
        exitStatus = newer.exitStatus ?? exitStatus
    }
}

extension UnitProperties {
    /// Reads the known properties from a dictionary of names and variants (`a{sv}`).
    init(reading message: BusMessage) throws(BusError) {
        try message.array(of: "{sv}") { () throws(BusError) in
            try message.container("e", signature: "sv") { () throws(BusError) in
                try decode(message.string(), message)
            }
        }
    }

    private mutating func decode(_ name: String, _ message: BusMessage) throws(BusError) {
        switch name {
        case "ActiveState": activeState = try message.variant("s", message.string)
        case "SubState": subState = try message.variant("s", message.string)
        case "LoadState": loadState = try message.variant("s", message.string)
        case "InvocationID": invocation = Hexadecimal.text(try message.variant("ay", message.bytes))
        case "MainPID": mainProcess = try message.variant("u", message.uint32)
        case "Result": result = try message.variant("s", message.string)
        case "NRestarts": restarts = try message.variant("u", message.uint32)
        case "RestartUSec": restartDelay = try message.variant("t", message.uint64)
        case "ControlGroup": controlGroup = try message.variant("s", message.string)
        case "ExecMainStartTimestamp": mainProcessStarted = try message.variant("t", message.uint64)
        case "ExecMainCode": exitCode = try message.variant("i", message.int32)
        case "ExecMainStatus": exitStatus = try message.variant("i", message.int32)
        default: try message.skip("v")
        }
    }
}
