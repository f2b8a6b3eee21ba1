import Gateway
import Glibc
internal import Instances
import Logging
import Settings
import Systemd

/// Watches for the signals that end the gateway and ends it in order; lives on the control loop.
actor Lifecycle {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let loop: SystemEventLoop
    private let registry: InstanceRegistry
    private let dataPlane: DataPlane
    private let log: Logger
    private var settings: LiveSettings
    private var signals: [EventSource] = []
    /// When the loops are asked again whether they are alive.
    private var nextRound: EventSource?
    /// Whether the gateway has begun to end.
    private(set) var isEnding = false
    /// Whether nothing is watched any more.
    private var hasEnded = false

    init(
        loop: SystemEventLoop, registry: InstanceRegistry, dataPlane: DataPlane, log: Logger, settings: LiveSettings
    ) {
        self.loop = loop
        self.registry = registry
        self.dataPlane = dataPlane
        self.log = log
        self.settings = settings
    }

    /// Begins to watch; the gateway ends at once where the kernel refuses, because nothing could end it later.
    func watchSignals() {
        do throws(SystemdError) {
            for number in [SIGTERM, SIGINT] {
                signals.append(try loop.signal(number) { self.assumeIsolated { $0.end() } })
            }
            signals.append(try loop.signal(SIGHUP) { self.assumeIsolated { $0.reload() } })
            try watchLoops()
        } catch {
            log.error("signals can't be watched", LogField("reason", error.description))
            loop.stop()
        }
    }

    /// Informs the service manager's watchdog, if there is one, as long as this loop and every loop of the data plane answers: of one
    /// that hangs nobody else would hear.
    private func watchLoops() throws(SystemdError) {
        guard !hasEnded, let time = ServiceNotifier.watchdogTime else { return }
        nextRound = try loop.timer(after: time / 4) { self.assumeIsolated { $0.askLoops() } }
    }

    private func askLoops() {
        Task {
            await dataPlane.answer()
            ServiceNotifier.alive()
            do throws(SystemdError) {
                try watchLoops()
            } catch {
                log.error("the watchdog can't be informed any more", LogField("reason", error.description))
            }
        }
    }

    /// Requests may finish while their instances still run; streams end; then the instances are stopped.
    private func end() {
        guard !isEnding else { return }
        isEnding = true
        log.notice("the gateway is ending: requests may finish, streams end")
        ServiceNotifier.stopping(status: "Ending: requests may finish")
        Task {
            await registry.prepareShutdown()
            await dataPlane.drain(within: settings.drainTimeout)
            log.log(.notice, "no request runs any more", await dataPlane.counts())
            await registry.shutdown()
            endWatching()
            loop.stop()
        }
    }

    /// The gateway can't begin: what has begun already ends, and nobody was let in.
    func giveUp() async {
        isEnding = true
        await registry.shutdown()
        endWatching()
        loop.stop()
    }

    /// The sources' handlers hold this object, which holds them.
    private func endWatching() {
        hasEnded = true
        signals.removeAll()
        nextRound = nil
    }

    /// Reads the settings anew; what is wrong with them is logged and changes nothing. Nothing that runs is ended
    /// except what was opened with a key that is gone, also when it was the closing of a terminal that sent the signal.
    private func reload() {
        guard !isEnding else { return }
        ServiceNotifier.reloading()
        // Also where nothing has changed: the manager waits for it.
        defer { ServiceNotifier.ready(status: "Listening on http://\(dataPlane.address)") }
        do throws(SettingError) {
            let change = try settings.reload()
            dataPlane.apply(settings.policy)
            tell(change)
        } catch {
            log.error("settings read anew are wrong: those in force stay", LogField("reason", error.description))
        }
    }

    private func tell(_ change: ConfigurationChange) {
        for notice in change.configuration.notices { log.warning(notice) }
        let applied = change.applied.isEmpty ? "none" : change.applied.joined(separator: " ")
        log.notice("settings were read anew", LogField("changed", applied))
        guard !change.waiting.isEmpty else { return }
        log.warning(
            "settings that have changed take effect at the next restart",
            LogField("settings", change.waiting.joined(separator: " ")))
    }
}
