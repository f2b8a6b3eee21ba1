// SPDX-License-Identifier: Apache-2.0

package import Access
import Addresses
import EventHub
import EventLoop
package import EventStreaming
import GatewayCore
import HTTPClient
import HTTPServer
package import Instances
package import Settings

// This file creates the settings of the data plane's modules from the gateway's configuration. No other
// file performs this conversion.

extension Policy {
    /// Creates the policy from the settings.
    ///
    /// - Parameter descriptors: The limit on open file descriptors.
    package convenience init(_ configuration: Configuration, descriptors: Int) {
        self.init(
            keys: KeyTable(keys: configuration.keys.map { ($0.name, $0.secret.bytes) }),
            keyLimits: KeyLimits(configuration),
            identityHeader: configuration.access.identityHeader.map { Array($0.lowercased().utf8) },
            failedTries: FailureLimiter.Rate(
                burst: configuration.access.failedTries, interval: configuration.access.failedTryInterval),
            trustedProxies: AddressRanges(configuration.access.trustedProxies),
            origins: AllowedOrigins(configuration.access.origins.map(\.description)),
            pinsDirectories: configuration.projects.pinsDirectories,
            isOpenCode1Compatible: configuration.projects.isOpenCode1Compatible,
            limits: GatewayLimits(configuration, descriptors: descriptors),
            eventEncoding: EventEncoding(rawValue: configuration.events.encoding.rawValue) ?? .raw,
            accessLog: configuration.accessLog)
    }
}

extension KeyLimits {
    /// Creates the default limits of named keys from the settings.
    package init(_ configuration: Configuration) {
        self.init(rate: configuration.access.keyRate, streams: configuration.access.keyStreams)
    }
}

extension GatewayLimits {
    /// Creates the data plane's limits from the settings. Divides the maximum number of connections among the loops.
    init(_ configuration: Configuration, descriptors: Int) {
        let limits = configuration.limits
        var server = ServerLimits(
            headTimeout: limits.headTimeout, idleTimeout: limits.idleTimeout, bodyTimeout: limits.bodyTimeout,
            sendTimeout: limits.answerTimeout, maximumHead: limits.maxHead,
            maximumConnections: Self.connections(limits, threads: configuration.threads, descriptors: descriptors))
        server.peerLoss = PeerLoss(limit: configuration.events.stall)
        self.init(
            server: server, answerTimeout: limits.answerTimeout, streamTimeout: limits.streamTimeout,
            streamBacklog: limits.streamBacklog, streamStall: configuration.events.stall,
            streamStart: configuration.instances.startAnswerTimeout)
    }

    /// Returns the maximum number of connections of a loop. A proxied connection needs two descriptors. The gateway
    /// reserves some descriptors for listeners, instances, files and the log, and for connections that are kept alive.
    private static func connections(_ limits: Limits, threads: Int, descriptors: Int) -> Int {
        let possible = max(16, (descriptors - reservedDescriptors - threads * UpstreamClient.mostIdleConnections) / 2)
        let wanted = limits.maxConnections == 0 ? possible : min(limits.maxConnections, possible)
        // The kernel distributes connections unevenly, by a hash, so a loop may receive more than its share.
        return threads == 1 ? wanted : max(1, (wanted + threads - 1) / threads + wanted / (4 * threads))
    }

    private static let reservedDescriptors = 256
}

extension InstanceLimits {
    /// Creates the registry's limits from the settings.
    package init(_ policy: InstanceSettings, _ limits: Limits) {
        self.init(
            start: limits.startTimeout, startAnswer: policy.startAnswerTimeout, stop: limits.stopTimeout,
            restartDelay: policy.restartDelay, longestRestartDelay: policy.maxRestartDelay,
            quickFailures: policy.maxQuickFailures, healthInterval: policy.healthInterval,
            unhealthy: policy.unhealthyAfter, restartsUnhealthy: policy.restartUnhealthy)
    }
}

extension HubSettings {
    /// Creates the event hub's settings from the configuration.
    ///
    /// - Parameter folder: The directory for the logs; nil to keep the logs in memory only.
    package init(_ configuration: Configuration, folder: String?) {
        self.init(
            folder: folder,
            limits: LogLimits(bytes: configuration.events.keepSize, time: configuration.events.keepTime),
            total: configuration.events.keepTotal)
    }
}
