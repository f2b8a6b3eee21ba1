// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Systemd

/// The messages about the ends of units and about failed starts.
enum UnitMessage {
    /// The phrase for the end of a unit that the gateway or another program stopped.
    static let stopped = "a stop"

    /// Returns how a run ended, as a phrase after "ended with". `run` is nil if the run is no longer known.
    static func howItEnded(_ properties: UnitProperties, was run: UnitRun?) -> String {
        switch properties.result {
        case "exit-code": return "exit status \(status(properties.exitStatus))"
        case "signal": return signal(properties.exitStatus)
        case "core-dump": return signal(properties.exitStatus) + " (core dumped)"
        case "oom-kill":
            return
                "the system's out-of-memory killer (oom-kill), because the unit needed more memory than its MemoryMax= or "
                + "the machine has"
        case "start-limit-hit": return startLimit
        case "timeout": return "a timeout of systemd (timeout)"
        case "watchdog": return "systemd's watchdog (watchdog)"
        case "resources": return "a lack of resources (resources)"
        case "success", nil, "": return ending(properties, run)
        case let other?: return "the unit's result \(other)"
        }
    }

    /// Returns how a run ended if systemd should have restarted the unit but does not. The unit's result may still be
    /// the result of the run itself.
    static func restartedTooOften(_ properties: UnitProperties) -> String {
        let how = howItEnded(properties, was: nil)
        return how == startLimit ? how : how + ", and then with \(startLimit)"
    }

    private static let startLimit =
        "too many starts in a short time (start-limit-hit), so systemd does not restart the unit"

    private static func ending(_ properties: UnitProperties, _ run: UnitRun?) -> String {
        guard let run else { return stopped }
        guard properties.invocation == run.id else { return "a restart" }
        switch properties.exitCode {
        case Int32(CLD_EXITED): return "exit status \(status(properties.exitStatus))"
        case Int32(CLD_KILLED), Int32(CLD_DUMPED): return signal(properties.exitStatus)
        default: return stopped
        }
    }

    /// Returns an exit status. A status that systemd defines is followed by its meaning (systemd.exec(5), "Process Exit
    /// Codes").
    private static func status(_ status: Int32?) -> String {
        guard let status else { return "unknown" }
        return meanings[status].map { "\(status) (\($0))" } ?? "\(status)"
    }

    private static let meanings: [Int32: String] = [
        78: "the configuration is wrong", 200: "the working directory is not accessible",
        203: "the unit's program is not executable", 208: "standard input could not be set up",
        209: "standard output could not be set up", 217: "the unit's user does not exist",
        226: "the unit's namespaces could not be set up",
    ]

    private static func signal(_ number: Int32?) -> String {
        guard let number else { return "a signal" }
        return ProcessExit.killed(signal: number).description
    }

    /// Returns the reason why no process is running after a start, as a message.
    ///
    /// - Parameter result: The result of the start job; nil if the job succeeded.
    static func startFailed(_ result: String?, _ properties: UnitProperties) -> String {
        guard let result else {
            return "systemd started the unit, but its process exited immediately without an error."
        }
        return switch (result, properties.result) {
        case ("failed", "start-limit-hit"):
            "the unit was started too often in a short time (start-limit-hit). Wait a moment, then start the project again."
        case ("failed", "success"?), ("failed", nil): "the start job of the unit failed."
        case ("failed", _): "the unit ended with \(howItEnded(properties, was: nil))."
        case ("canceled", _): "the unit was stopped during its start."
        case ("timeout", _): "the unit did not start within systemd's time limit (TimeoutStartSec=)."
        case ("dependency", _): "a unit that this unit requires has failed. See `systemctl list-dependencies`."
        case ("skipped", _): "a condition of the unit is not met, so systemd skipped the start."
        default: "the start job of the unit ended with \(result)."
        }
    }

    /// Returns a duration. Returns nil for systemd's infinity, which is the greatest number.
    static func duration(microseconds: UInt64) -> Duration? {
        microseconds == .max ? nil : .microseconds(Int64(clamping: microseconds))
    }
}
