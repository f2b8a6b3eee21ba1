internal import TextCoding

/// What a manager tells of a unit (org.freedesktop.systemd1(5), "Unit Objects" and "Service Unit Objects"); nil where it
/// has not told it.
package struct UnitProperties: Sendable, Equatable {
    /// `active`, `reloading`, `inactive`, `failed`, `activating`, `deactivating`, …
    package var activeState: String?
    /// The kind of unit's own states, such as `running`, `auto-restart`, `stop-sigterm`.
    package var subState: String?
    /// `loaded`, `not-found`, `bad-setting`, `error`, `masked`, …
    package var loadState: String?
    /// This start of the unit, 32 hexadecimal digits; empty where it never ran.
    package var invocation: String?
    /// Its main process; 0 without one.
    package var mainProcess: UInt32?
    /// How its last run went: `success`, `exit-code`, `signal`, `core-dump`, `oom-kill`, `start-limit-hit`, …
    package var result: String?
    /// How often systemd has restarted it by itself.
    package var restarts: UInt32?
    /// How long systemd waits before it does, microseconds.
    package var restartDelay: UInt64?
    /// Its control group's path below the cgroup file system; empty without one.
    package var controlGroup: String?
    /// When its main process was started, microseconds since 1970.
    package var mainProcessStarted: UInt64?
    /// How its main process ended (`CLD_EXITED`, `CLD_KILLED`, `CLD_DUMPED`; 0 when it has not).
    package var exitCode: Int32?
    /// Its exit status or the signal's number.
    package var exitStatus: Int32?

    /// Nothing known.
    package init() {}

    /// Takes over what `newer` tells.
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
    /// Reads a dictionary of names and variants (`a{sv}`), the wanted ones.
    init(reading message: BusMessage) throws(BusError) {
        try message.array(of: "{sv}") { () throws(BusError) in
            try message.container("e", "sv") { () throws(BusError) in
                try read(message.string(), message)
            }
        }
    }

    private mutating func read(_ name: String, _ message: BusMessage) throws(BusError) {
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
