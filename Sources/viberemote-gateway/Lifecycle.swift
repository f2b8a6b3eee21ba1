import Gateway
import Glibc
import Instances
import Logging
import Systemd

/// Watches for the signals that end the gateway and ends it in order; lives on the control loop.
actor Lifecycle {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let loop: SystemEventLoop
    private let registry: InstanceRegistry
    private let dataPlane: DataPlane
    private let log: Logger
    private let drainTimeout: Duration
    private var signals: [EventSource] = []
    private var isEnding = false

    init(
        loop: SystemEventLoop, registry: InstanceRegistry, dataPlane: DataPlane, log: Logger, drainTimeout: Duration
    ) {
        self.loop = loop
        self.registry = registry
        self.dataPlane = dataPlane
        self.log = log
        self.drainTimeout = drainTimeout
    }

    /// Begins to watch; the gateway ends at once where the kernel refuses, because nothing could end it later.
    func watchSignals() {
        do throws(SystemdError) {
            for number in [SIGTERM, SIGINT] {
                signals.append(try loop.signal(number) { self.assumeIsolated { $0.end() } })
            }
            signals.append(try loop.signal(SIGHUP) { self.assumeIsolated { $0.hangUp() } })
            _ = try loop.keepWatchdogInformed()
        } catch {
            log.error("signals can't be watched", LogField("reason", error.description))
            loop.stop()
        }
    }

    /// Requests may finish while their instances still run; streams end; then the instances are stopped.
    private func end() {
        guard !isEnding else { return }
        isEnding = true
        log.notice("the gateway is ending: requests may finish, streams end")
        ServiceNotifier.stopping(status: "Ending: requests may finish")
        Task {
            await dataPlane.drain(within: drainTimeout)
            await registry.shutdown()
            // Their handlers hold this object, which holds them.
            signals.removeAll()
            loop.stop()
        }
    }

    /// A terminal that is closed does not end a server.
    private func hangUp() { log.notice("SIGHUP has no effect: restart the gateway to change its settings") }
}
