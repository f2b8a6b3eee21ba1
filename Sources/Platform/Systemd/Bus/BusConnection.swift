// SPDX-License-Identifier: Apache-2.0

internal import CSystemd

/// A connection to a service manager, either through a bus daemon or directly. The connection is an event source of the
/// control loop.
///
/// All methods and handlers run on the loop's thread. Handlers run in the order of the manager's messages, so that a
/// reply and the signals around it keep their order. Calls therefore deliver their results to handlers. An awaited
/// result would resume in a separate job, after signals that the manager sent later.
final class BusConnection: @unchecked Sendable {  // Confined to the loop's thread.
    /// The maximum time to wait for a reply, in microseconds.
    private static let timeout: UInt64 = 25_000_000
    static let service = "org.freedesktop.systemd1"

    private let loop: SystemEventLoop
    private let isBus: Bool
    private let reference: BusReference
    private var slots: [OpaquePointer] = []

    /// Starts to connect. Throws if nothing listens at the address. A later failure ends the connection and calls
    /// `ended`.
    init(to address: BusAddress, on loop: SystemEventLoop, ended: @escaping @Sendable () -> Void) throws(BusError) {
        loop.checkIsolated()
        var created: OpaquePointer?
        try BusError.check(sd_bus_new(&created), "sd_bus_new")
        guard let bus = created else { throw BusError.notConnected("sd_bus_new") }
        self.loop = loop
        isBus = address.isBus
        reference = BusReference(pointer: bus)
        try BusError.check(sd_bus_set_address(bus, address.text), "connecting to \(address.text)")
        try BusError.check(sd_bus_set_bus_client(bus, isBus ? 1 : 0), "sd_bus_set_bus_client")
        try BusError.check(sd_bus_start(bus), "connecting to \(address.text)")
        try BusError.check(sd_bus_attach_event(bus, loop.event, Int32(EventSource.urgent)), "sd_bus_attach_event")
        // sd-bus generates this signal itself when the connection ends for any reason.
        try match("type='signal',interface='org.freedesktop.DBus.Local',member='Disconnected'") { _ in ended() }
        guard isBus else { return }
        try match(
            """
            type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',\
            arg0='\(Self.service)'
            """
        ) { _ in ended() }
    }

    deinit {
        let reference = reference
        let slots = Slots(pointers: slots)
        loop.release {
            slots.free()
            reference.close()
        }
    }

    /// Calls a method. Passes the manager's reply to `read`, and the result of `read` to `reply`.
    ///
    /// `reply` is called even if the connection ends in the meantime, but never after this object is released.
    func call<Value: Sendable>(
        _ call: BusCall, reading read: @escaping @Sendable (BusMessage) throws(BusError) -> Value,
        reply: @escaping @Sendable (Result<Value, BusError>) -> Void
    ) throws(BusError) {
        loop.checkIsolated()
        var created: OpaquePointer?
        try BusError.check(
            sd_bus_message_new_method_call(
                reference.pointer, &created, Self.service, call.path, call.interface, call.member), call.member)
        defer { sd_bus_message_unref(created) }
        if let created {
            let message = BusMessage(pointer: created)
            for argument in call.arguments { try message.append(argument) }
        }
        let operation = call.member
        let handler = MessageHandler { message in
            if let error = message.error(operation) { return reply(.failure(error)) }
            do throws(BusError) {
                reply(.success(try read(message)))
            } catch {
                reply(.failure(error))
            }
        }
        try add(handler, operation, floating: true) { slot, context in
            sd_bus_call_async(reference.pointer, slot, created, Self.onMessage, context, Self.timeout)
        }
    }

    /// Calls `handler` with each signal from the manager that has this interface and name, until the connection ends.
    func signals(
        _ interface: String, _ member: String, handler: @escaping @Sendable (BusMessage) -> Void
    ) throws(BusError) {
        // Match the sender only on a bus, because messages on a direct connection to the manager have no sender name.
        let sender = isBus ? "sender='\(Self.service)'," : ""
        try match("type='signal',\(sender)interface='\(interface)',member='\(member)'", handler)
    }

    // MARK: From C

    private final class MessageHandler {
        let call: (BusMessage) -> Void
        init(_ call: @escaping (BusMessage) -> Void) { self.call = call }
    }

    private func match(_ rule: String, _ handler: @escaping @Sendable (BusMessage) -> Void) throws(BusError) {
        try add(MessageHandler(handler), "AddMatch", floating: false) { slot, context in
            sd_bus_add_match_async(reference.pointer, slot, rule, Self.onMessage, nil, context)
        }
    }

    private func add(
        _ handler: MessageHandler, _ operation: String, floating: Bool,
        by create: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutableRawPointer) -> Int32
    ) throws(BusError) {
        // The slot owns one reference to the handler. The destroy callback releases this reference when sd-bus frees
        // the slot.
        let context = Unmanaged.passRetained(handler)
        var slot: OpaquePointer?
        let result = create(&slot, context.toOpaque())
        guard result >= 0, let slot else {
            context.release()
            throw BusError.of(result, operation)
        }
        sd_bus_slot_set_destroy_callback(slot, Self.onDestroy)
        guard floating else { return slots.append(slot) }
        // After this step, the connection owns the slot of the call and releases it after the reply.
        sd_bus_slot_set_floating(slot, 1)
        sd_bus_slot_unref(slot)
    }

    private static let onMessage: sd_bus_message_handler_t = { message, context, _ in
        guard let message, let context else { return 0 }
        let handler = Unmanaged<MessageHandler>.fromOpaque(context).takeUnretainedValue()
        handler.call(BusMessage(pointer: message))
        return 0
    }

    private static let onDestroy: sd_bus_destroy_t = { context in
        guard let context else { return }
        Unmanaged<MessageHandler>.fromOpaque(context).release()
    }
}

/// The signal matches of a connection.
private struct Slots: @unchecked Sendable {  // Freed once, on the loop's thread.
    let pointers: [OpaquePointer]
    func free() { for slot in pointers { sd_bus_slot_unref(slot) } }
}

/// The only counted reference to a connection.
private struct BusReference: @unchecked Sendable {  // Used on the loop's thread only.
    let pointer: OpaquePointer

    func close() {
        sd_bus_detach_event(pointer)
        // Flush only an authenticated connection, because flushing would otherwise block until the peer has
        // authenticated it (sd_bus_flush(3)).
        if sd_bus_is_ready(pointer) > 0 { sd_bus_flush_close_unref(pointer) } else { sd_bus_close_unref(pointer) }
    }
}
