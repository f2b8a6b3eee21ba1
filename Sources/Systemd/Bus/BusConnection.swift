internal import CSystemd

/// One connection to a service manager, by way of a bus daemon or not; a source of the control loop.
///
/// All of it, and every handler, runs on the loop's thread, in the order in which the manager spoke: an answer and the
/// signals around it are never swapped. That is why calls answer by handlers: what is awaited comes back in a job of its
/// own, after signals that the manager sent later.
final class BusConnection: @unchecked Sendable {  // confined to the loop's thread, which every entry checks
    /// How long an answer may take.
    private static let timeout: UInt64 = 25_000_000
    static let service = "org.freedesktop.systemd1"

    private let loop: SystemEventLoop
    private let isBus: Bool
    private let reference: BusReference
    private var slots: [OpaquePointer] = []

    /// Begins to connect. Throws where nobody listens; what fails later ends the connection (`ended`).
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
        // sd-bus makes this signal itself when the connection has ended, for whatever reason.
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
        let (reference, slots) = (reference, Slots(pointers: slots))
        loop.release {
            slots.free()
            reference.close()
        }
    }

    /// Calls a method and hands its answer to `read`, whose value goes to `reply`. The answer always comes, also when the
    /// connection ends meanwhile; not when this object goes.
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

    /// Calls `handler` with each of the manager's signals that has this interface and name, until the connection ends.
    func signals(
        _ interface: String, _ member: String, handler: @escaping @Sendable (BusMessage) -> Void
    ) throws(BusError) {
        // Who is connected to the manager itself sees no sender's name.
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
        // The slot holds one count of the handler; the destroy callback gives it back when sd-bus frees the slot.
        let context = Unmanaged.passRetained(handler)
        var slot: OpaquePointer?
        let result = create(&slot, context.toOpaque())
        guard result >= 0, let slot else {
            context.release()
            throw BusError.of(result, operation)
        }
        sd_bus_slot_set_destroy_callback(slot, Self.onDestroy)
        guard floating else { return slots.append(slot) }
        // A call's slot belongs to the connection from now on, and ends with the answer.
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

/// The matches of a connection.
private struct Slots: @unchecked Sendable {  // freed once, on the loop's thread
    let pointers: [OpaquePointer]
    func free() { for slot in pointers { sd_bus_slot_unref(slot) } }
}

/// The one counted reference to a connection.
private struct BusReference: @unchecked Sendable {  // used on the loop's thread only
    let pointer: OpaquePointer

    func close() {
        sd_bus_detach_event(pointer)
        // Where the other side has not let it in yet, flushing would wait for that (sd_bus_flush(3)).
        if sd_bus_is_ready(pointer) > 0 { sd_bus_flush_close_unref(pointer) } else { sd_bus_close_unref(pointer) }
    }
}
