// SPDX-License-Identifier: Apache-2.0

package import Access
import Addresses
package import Audit
import Encodings
package import GatewayCore
package import HTTPServer
import HTTPTypes
import JSONText
package import Keys
package import Logging
import Sodium
package import Storage

/// The service that manages the named keys.
///
/// A change is first written to disk, then every loop receives the new keys and aborts what they no longer permit, and
/// only then does the caller receive the response. A key that a response contains therefore survives a crash, and a
/// revocation that was reported has happened.
package actor KeyService {
    /// A closure that passes the keys to everything that checks them, and returns after all of it uses them.
    package typealias Publication = @Sendable (KeyIndex) async -> Void

    /// A closure that calls its argument after a delay.
    package typealias Delay = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    /// The loaded keys.
    struct Loaded {
        var ring: KeyRing
        let hash: KeyedHash
    }

    private let store: Result<KeyStore, StorageError>
    private let publish: Publication
    private let delay: Delay
    private let log: Logger
    private let audit: (any AuditRecorder)?
    /// Returns the time in milliseconds since 1970.
    let now: @Sendable () -> Int64
    /// The keys; nil until they are loaded.
    private var loaded: Loaded?
    /// The reason why the keys could not be loaded.
    private var failure: StorageError?
    private var meters = KeyMeters()
    /// The limits of keys that have no limits of their own.
    private var defaults: KeyLimits
    var signIns = SignIns()
    private nonisolated let uses = KeyUses()
    /// Whether a task reads or changes the keys. Other tasks wait, because each change begins with the keys that the
    /// previous change has left.
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// The time of the next check for expired keys, in milliseconds since 1970; nil if there is none.
    private var nextCheck: Int64?
    /// The time at which the keys were last published, in milliseconds since 1970.
    private var published: Int64 = 0
    private var isClosed = false

    /// Creates a service. Call ``open()`` before the first request.
    ///
    /// - Parameters:
    ///   - store: The stored keys, or the reason why the database cannot be used.
    ///   - defaults: The limits of keys that have no limits of their own.
    ///   - audit: The audit log; nil if changes are not recorded.
    ///   - now: Returns the time in milliseconds since 1970.
    ///   - delay: Calls a function after a delay.
    ///   - publish: Passes the keys to the loops.
    package init(
        _ store: Result<KeyStore, StorageError>, defaults: KeyLimits = KeyLimits(), log: Logger,
        audit: (any AuditRecorder)? = nil,
        now: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }, delay: @escaping Delay,
        publish: @escaping Publication
    ) {
        self.store = store
        self.defaults = defaults
        self.log = log
        self.audit = audit
        self.now = now
        self.delay = delay
        self.publish = publish
    }

    // MARK: Loading

    /// Loads the keys and publishes them. If the database cannot be opened yet, named keys open nothing until it can.
    package func open() async {
        guard let store = try? store.get() else { return await publish(.unavailable) }
        guard store.isOpen(orElse: { Task { await self.load(store) } }) else { return await publishUnavailable() }
        await load(store)
    }

    /// Publishes that named keys open nothing, unless the keys have been loaded in the meantime.
    private func publishUnavailable() async {
        await beginTurn()
        defer { endTurn() }
        if loaded == nil { await publish(.unavailable) }
    }

    private func load(_ store: KeyStore) async {
        await beginTurn()
        defer { endTurn() }
        do throws(StorageError) {
            let content = try await store.load()
            loaded = Loaded(ring: KeyRing(content.keys, defaults: defaults), hash: content.hash)
            failure = nil
            if content.unreadable > 0 {
                log.warning(
                    "stored keys cannot be interpreted and open nothing", LogField("count", content.unreadable))
            }
            await publishKeys()
        } catch {
            failure = error
            await publish(.unavailable)
            log.error("cannot read the named keys, so they open nothing", LogField("reason", error.description))
        }
    }

    /// Sets the limits of keys that have no limits of their own. An administrator with such a key can hand out no more.
    package func follow(_ defaults: KeyLimits) {
        self.defaults = defaults
        loaded?.ring.defaults = defaults
    }

    /// Writes the uses, and publishes nothing more, because the loops are about to end.
    package func close() async {
        await writeUses()
        isClosed = true
    }

    // MARK: Operations

    /// Performs an operation and returns its response.
    ///
    /// - Parameter body: The body of the request; empty if there is none.
    package func respond(
        to operation: KeyOperation, body: [UInt8], for caller: KeyCaller
    ) async -> Result<GatewayAnswer, GatewayError> {
        do throws(GatewayError) {
            switch operation {
            case .list: return .success(KeyResponse.list(try await list(for: caller)))
            case .show(let id): return .success(KeyResponse.key(try await key(id, for: caller)))
            case .create:
                let draft = try Self.parse { () throws(KeyRefusal) in try KeyJSON.draft(body) }
                let (key, token) = try await create(draft, for: caller)
                return .success(KeyResponse.created(key, token: token))
            case .change(let id):
                let patch = try Self.parse { () throws(KeyRefusal) in try KeyJSON.patch(body) }
                return .success(KeyResponse.key(try await change(id, patch, for: caller)))
            case .revoke(let id):
                try await revoke(id, for: caller)
                return .success(KeyResponse.revoked)
            case .rotate(let id):
                let keepOld = try Self.parse { () throws(KeyRefusal) in try KeyJSON.keepOld(body) }
                let (key, token) = try await rotate(id, keepOld: keepOld, for: caller)
                return .success(KeyResponse.rotated(key, token: token))
            }
        } catch {
            return .failure(error)
        }
    }

    static func parse<Value>(_ body: () throws(KeyRefusal) -> Value) throws(GatewayError) -> Value {
        do throws(KeyRefusal) { return try body() } catch { throw GatewayError(error) }
    }

    private func list(for caller: KeyCaller) async throws(GatewayError) -> [Key] {
        let keys = try await current()
        return try Self.parse { () throws(KeyRefusal) in try keys.ring.list(for: caller, at: now()) }
    }

    private func key(_ id: String, for caller: KeyCaller) async throws(GatewayError) -> Key {
        let keys = try await current()
        return try Self.parse { () throws(KeyRefusal) in try keys.ring.key(id, for: caller, at: now()) }
    }

    private func create(
        _ draft: KeyDraft, for caller: KeyCaller
    ) async throws(GatewayError) -> (key: Key, token: [UInt8]) {
        let id = KeyID.random()
        let token = KeyToken.make(for: id)
        let key = try await perform(caller, .keyCreated) { (ring, hash, now) throws(KeyRefusal) in
            let hash = hash.hash(of: token.span)
            return .set(try ring.create(draft, id: id, hash: hash, for: caller, at: now))
        }
        return (key, token)
    }

    private func change(
        _ id: String, _ patch: KeyPatch, for caller: KeyCaller
    ) async throws(GatewayError) -> Key {
        try await perform(caller, .keyChanged) { (ring, _, now) throws(KeyRefusal) in
            .set(try ring.change(id, patch, for: caller, at: now).after)
        }
    }

    private func revoke(_ id: String, for caller: KeyCaller) async throws(GatewayError) {
        try await perform(caller, .keyRevoked) { (ring, _, now) throws(KeyRefusal) in
            .removed(try ring.revoke(id, for: caller, at: now))
        }
    }

    private func rotate(
        _ id: String, keepOld: Duration?, for caller: KeyCaller
    ) async throws(GatewayError) -> (key: Key, token: [UInt8]) {
        guard let keyID = KeyID(id) else {
            return try Self.parse { () throws(KeyRefusal) in throw .unknownKey(id) }
        }
        let token = KeyToken.make(for: keyID)
        let key = try await perform(caller, .keyRotated) { (ring, hash, now) throws(KeyRefusal) in
            let hash = hash.hash(of: token.span)
            return .set(try ring.rotate(id, keepOld: keepOld, hash: hash, for: caller, at: now))
        }
        return (key, token)
    }

    // MARK: Changes

    /// A change of one key, and the other keys that it removes.
    struct Change {
        let key: Key
        let isRemoved: Bool
        var removedIDs: [KeyID]

        static func set(_ key: Key, removing ids: [KeyID] = []) -> Change {
            Change(key: key, isRemoved: false, removedIDs: ids)
        }

        static func removed(_ key: Key) -> Change { Change(key: key, isRemoved: true, removedIDs: [key.id]) }
    }

    /// Applies a change, stores it and publishes the keys. Changes are performed one after the other. A change that
    /// cannot be stored has no effect.
    ///
    /// - Parameters:
    ///   - action: The action for the log and the audit log.
    ///   - message: The message of the log line; nil for that of the action.
    @discardableResult
    func perform(
        _ caller: KeyCaller, _ action: AuditAction, message: String? = nil,
        _ change: (inout KeyRing, KeyedHash, Int64) throws(KeyRefusal) -> Change
    ) async throws(GatewayError) -> Key {
        await beginTurn()
        defer { endTurn() }
        // A key that is revoked a moment after its first use was nevertheless used.
        applyUses()
        let (store, keys) = try opened()
        var ring = keys.ring
        let time = now()
        // Sessions end with their key. A session that has ended must not begin again if its key is extended.
        let ended = ring.removeEndedSessions(at: time)
        var changed = try Self.parse { () throws(KeyRefusal) in try change(&ring, keys.hash, time) }
        changed.removedIDs += ended + ring.removeEndedSessions(at: time)
        do throws(StorageError) {
            try await store.set(changed.isRemoved ? nil : changed.key, removing: changed.removedIDs)
        } catch {
            log.error("cannot store a change of a key", LogField("reason", error.description))
            record(action, on: changed.key, by: caller, status: 503)
            throw Self.notStored(error)
        }
        // A reload may have changed the default limits while the change was written.
        ring.defaults = defaults
        loaded?.ring = ring
        await publishKeys()
        record(action, on: changed.key, by: caller, status: action.changeStatus)
        log.notice(
            message ?? action.changeMessage, LogField("key", changed.key.name),
            LogField("id", changed.key.id.description), LogField("by", caller.name))
        return changed.key
    }

    /// Records a change, or the attempt of one that could not be stored. The loops record the refused requests.
    private func record(_ action: AuditAction, on key: Key, by caller: KeyCaller, status: Int) {
        let callerKey = caller.keyID.flatMap { loaded?.ring.keys[$0] }
        audit?.record(AuditEntry(action, on: key, by: caller, callerKey, status: status, at: now()))
    }

    func opened() throws(GatewayError) -> (KeyStore, Loaded) {
        do throws(StorageError) {
            let store = try store.get()
            if let obstacle = store.obstacle { throw obstacle }
            guard let loaded else {
                throw failure ?? StorageError(.unusable, "The keys are being read. Try again in a moment.")
            }
            return (store, loaded)
        } catch {
            throw GatewayError(503, "The named keys are not available: \(error)")
        }
    }

    /// Returns the keys with all uses that were recorded before the call.
    func current() async throws(GatewayError) -> Loaded {
        await writeUses()
        return try opened().1
    }

    static let tooManySignIns = GatewayError(
        429, "This key may sign in \(SignIns.limit) times a minute. Try again in 60 s.", fields: ["Retry-After": "60"])

    private static func notStored(_ error: StorageError) -> GatewayError {
        GatewayError(503, "The keys were not changed, because the change could not be stored: \(error)")
    }

    private func beginTurn() async {
        guard isBusy else {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func endTurn() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }

    // MARK: Publishing

    /// Passes the keys to the loops, and waits for the next expiry.
    private func publishKeys() async {
        guard let loaded, !isClosed else { return }
        meters.keep { loaded.ring.keys[$0] != nil }
        // A key that expires while the loops receive the keys counts as not published.
        published = now()
        let keys = KeyIndex(hash: loaded.hash, loaded.ring.entries(at: published), meters: &meters)
        await publish(keys)
        awaitExpiry()
    }

    /// Publishes the keys again when a key or a previous secret expires, so that the loops abort what the key has
    /// opened. The loops refuse new requests with the key by themselves.
    private func awaitExpiry() {
        let time = now()
        guard let next = loaded?.ring.nextExpiry(after: published) else { return }
        // The timer does not count the time during which the machine sleeps, so look at the clock again now and then.
        let check = min(max(next, time), time + Self.longestWait)
        if let nextCheck, nextCheck > time, nextCheck <= check { return }
        nextCheck = check
        delay(.milliseconds(check - time)) { Task { await self.check(at: check) } }
    }

    private static let longestWait: Int64 = 60_000

    private func check(at time: Int64) async {
        if nextCheck == time { nextCheck = nil }
        guard let next = loaded?.ring.nextExpiry(after: published) else { return }
        guard now() >= next else { return awaitExpiry() }
        await beginTurn()
        defer { endTurn() }
        await publishKeys()
    }

    // MARK: Uses

    /// Records the use of a key. Any thread may call this method. The service writes the uses together, at most a second
    /// later.
    package nonisolated func record(_ use: KeyUse) {
        let isFirst = uses.add(
            Key.Use(time: now(), address: use.address?.description, client: use.client), of: use.id)
        if isFirst { delay(.seconds(1)) { Task { await self.writeUses() } } }
    }

    private func writeUses() async {
        await beginTurn()
        defer { endTurn() }
        applyUses()
    }

    private func applyUses() {
        for (id, uses) in uses.removeAll() {
            let known = loaded?.ring.keys[id]
            guard loaded?.ring.record(uses.last, of: id) == true else { continue }
            try? store.get().record(uses.last, of: id)
            if let known, known.use == nil { audit?.record(AuditEntry(firstUse: uses.first, of: known)) }
        }
    }
}
