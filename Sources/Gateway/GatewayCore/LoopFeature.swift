// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import Instances

/// A part of the gateway that serves requests on one loop, such as the proxy or the event streams. A feature is
/// confined to its loop.
///
/// A loop knows its features only through this protocol. Features register when the loop is set up
/// (``LoopSetUp/features``), receive messages from other threads as ``FeatureMessage``s, and are found
/// by their type (``GatewayLoop/feature(_:)``).
package protocol LoopFeature: AnyObject {
    /// Called when there is a new routing table, which ``GatewayLoop/snapshot`` already contains.
    func routesChanged()
    /// Called when a run of an instance has responded to a client's request on this loop for the first time.
    func runAnswered(_ endpoint: InstanceEndpoint)
    /// Aborts the feature's operations whose rights were revoked, and returns their numbers. The loop itself aborts
    /// requests in progress.
    ///
    /// - Parameter isRevoked: Returns whether a key has lost one of the rights that an operation uses.
    func abort(revoked isRevoked: (UsedRights?) -> Bool) -> RevocationCounts
    /// Ends connections whose clients have vanished.
    func endLostClients(by loss: PeerLoss)
    /// Called when the gateway begins to shut down. The feature must respond to waiting requests that
    /// can no longer begin.
    func drain()
    /// Ends all requests, because the time limit of the shutdown has passed.
    func endRequests()
}

extension LoopFeature {
    /// The default implementation does nothing.
    package func routesChanged() {}
    /// The default implementation does nothing.
    package func runAnswered(_ endpoint: InstanceEndpoint) {}
    /// The default implementation aborts nothing and returns zero.
    package func abort(revoked isRevoked: (UsedRights?) -> Bool) -> RevocationCounts { RevocationCounts() }
    /// The default implementation does nothing.
    package func endLostClients(by loss: PeerLoss) {}
    /// The default implementation does nothing.
    package func drain() {}
    /// The default implementation does nothing.
    package func endRequests() {}
}

/// A message from another thread to one feature of a loop.
package protocol FeatureMessage: Sendable {
    /// The feature that receives the message.
    associatedtype Feature: LoopFeature
    /// Delivers the message on the loop's thread.
    func deliver(to feature: Feature)
}

extension FeatureMessage {
    /// Delivers the message if the loop has the feature.
    func deliver(on loop: GatewayLoop) {
        if let feature = loop.feature(Feature.self) { deliver(to: feature) }
    }
}

/// The features of a loop, in the order of their registration.
struct FeatureSet {
    private(set) var all: [any LoopFeature] = []
    private var byType: [ObjectIdentifier: any LoopFeature] = [:]

    /// Adds a feature. If there is a feature of the same type, look-ups by type find the new one.
    mutating func add(_ feature: any LoopFeature) {
        all.append(feature)
        byType[ObjectIdentifier(type(of: feature))] = feature
    }

    /// Returns the feature of this type.
    func feature<Feature: LoopFeature>(_ type: Feature.Type) -> Feature? {
        byType[ObjectIdentifier(type)] as? Feature
    }
}
