internal import CSystemd

extension SystemEventLoop {
    /// Tells the service manager regularly that this loop still turns, if the manager wants to know (`WatchdogSec=` of the
    /// unit, sd_event_set_watchdog(3)). Answers whether it does.
    package func keepWatchdogInformed() throws(SystemdError) -> Bool {
        checkIsolated()
        let result = sd_event_set_watchdog(event, 1)
        try SystemdError.check(result, "sd_event_set_watchdog", "the unit's watchdog")
        return result > 0
    }
}
