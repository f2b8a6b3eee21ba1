// SPDX-License-Identifier: Apache-2.0

import AuditServing
import GatewayServer
import Glibc
internal import Instances
import KeyAdministration
import Logging
import Settings
import Systemd

/// The reaction of the running gateway to signals: a reload, or a shutdown in order. The object also notifies the
/// watchdog, and is confined to the control plane's loop.
actor Lifecycle {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let loop: SystemEventLoop
    private let registry: InstanceRegistry
    private let dataPlane: DataPlane
    private let keys: KeyService
    private let audit: AuditService
    private let log: Logger
    private var settings: LiveSettings
    private var signals: [EventSource] = []
    /// The timer for the next check that the loops respond.
    private var nextRound: EventSource?
    /// Whether the shutdown of the gateway has begun.
    private(set) var isEnding = false
    /// Whether this object no longer watches signals and loops.
    private var hasEnded = false

    init(
        loop: SystemEventLoop, registry: InstanceRegistry, dataPlane: DataPlane, keys: KeyService,
        audit: AuditService, log: Logger, settings: LiveSettings
    ) {
        self.loop = loop
        self.registry = registry
        self.dataPlane = dataPlane
        self.keys = keys
        self.audit = audit
        self.log = log
        self.settings = settings
    }

    /// Starts to watch for signals. If the kernel reports an error, the gateway ends immediately, because no signal
    /// could end the gateway later.
    func watchSignals() {
        do throws(SystemdError) {
            for number in [SIGTERM, SIGINT] {
                signals.append(try loop.signal(number) { self.assumeIsolated { $0.shutDown() } })
            }
            signals.append(try loop.signal(SIGHUP) { self.assumeIsolated { $0.reload() } })
            try watchLoops()
        } catch {
            log.error("cannot watch signals", LogField("reason", error.description))
            loop.stop()
        }
    }

    /// Notifies the service manager's watchdog, if there is one, as long as this loop and every loop of the data plane
    /// respond. Nothing else would detect a hanging loop.
    private func watchLoops() throws(SystemdError) {
        guard !hasEnded, let time = ServiceNotifier.watchdogTime else { return }
        nextRound = try loop.timer(after: time / 4) { self.assumeIsolated { $0.checkLoops() } }
    }

    private func checkLoops() {
        Task {
            await dataPlane.answer()
            ServiceNotifier.alive()
            do throws(SystemdError) {
                try watchLoops()
            } catch {
                log.error("cannot notify the watchdog", LogField("reason", error.description))
            }
        }
    }

    /// Shuts the gateway down. The data plane aborts streams and lets requests finish while their instances still run.
    /// Afterwards, the registry stops the instances that do not outlive the gateway.
    private func shutDown() {
        guard !isEnding else { return }
        isEnding = true
        log.notice("the gateway is shutting down")
        ServiceNotifier.stopping(status: "Shutting down: waiting for running requests")
        Task {
            await registry.prepareShutdown()
            await dataPlane.drain(within: settings.drainTimeout)
            await keys.close()
            log.log(.notice, "all requests have ended", fields: await dataPlane.counts())
            await registry.shutdown()
            stopWatching()
            loop.stop()
        }
    }

    /// Shuts the gateway down after a failed start, before any client was accepted.
    func giveUp() async {
        isEnding = true
        await registry.shutdown()
        stopWatching()
        loop.stop()
    }

    /// Removes the event sources. The sources' handlers retain this object, and this object retains the sources.
    private func stopWatching() {
        hasEnded = true
        signals.removeAll()
        nextRound = nil
    }

    /// Reloads the settings. If the settings contain an error, logs the error and changes nothing. The reload
    /// interrupts only connections with a removed key.
    private func reload() {
        guard !isEnding else { return }
        ServiceNotifier.reloading()
        // Notify the service manager even if nothing has changed, because the service manager
        // waits for the notification.
        defer { ServiceNotifier.ready(status: "Listening on http://\(dataPlane.address)") }
        do throws(SettingError) {
            let change = try settings.reload()
            dataPlane.apply(settings.policy)
            let (keys, limits) = (keys, settings.keyLimits)
            Task { await keys.follow(limits) }
            audit.follow(keep: settings.auditKeep)
            logChange(change)
        } catch {
            log.error("cannot reload the settings", LogField("reason", error.description))
        }
    }

    private func logChange(_ change: ConfigurationChange) {
        for notice in change.configuration.notices {
            log.warning("a setting needs attention", LogField("reason", notice))
        }
        let applied = change.applied.isEmpty ? "none" : change.applied.joined(separator: " ")
        log.notice("settings reloaded", LogField("changed", applied))
        guard !change.waiting.isEmpty else { return }
        log.warning(
            "changed settings require a restart",
            LogField("settings", change.waiting.joined(separator: " ")))
    }
}
