// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// The event sources of the loop. These methods and all handlers run on the loop's thread. A handler calls its actor
/// through `assumeIsolated`. The loop retains a handler until its source ends.
extension SystemEventLoop {
    /// The maximum delay of a timer in microseconds. sd-event's default of 250 ms would be noticeable.
    private static let timerAccuracy: UInt64 = 1_000

    /// Calls `handler` whenever one of `events` applies to `descriptor` (level-triggered). The descriptor must remain
    /// open until the source ends.
    package func watch(
        _ descriptor: Int32, _ events: DescriptorEvents, handler: @escaping @Sendable (DescriptorEvents) -> Void
    ) throws(SystemdError) -> EventSource {
        let detail = "descriptor \(descriptor)"
        return try add("sd_event_add_io", detail, handler: Handler(handler)) { source, context in
            sd_event_add_io(event, source, descriptor, events.rawValue, Self.onDescriptor, context)
        }
    }

    /// Calls `handler` once after `delay` on the monotonic clock, at most a millisecond late on an idle loop.
    package func timer(
        after delay: Duration, handler: @escaping @Sendable () -> Void
    ) throws(SystemdError) -> EventSource {
        try add("sd_event_add_time_relative", "a timer", handler: Handler(handler)) { source, context in
            sd_event_add_time_relative(
                event, source, CLOCK_MONOTONIC, delay.wholeMicroseconds, Self.timerAccuracy, Self.onTimer, context)
        }
    }

    /// Calls `handler` for each of `events` in the directory at `path` (inotify(7)). Follows symbolic links.
    ///
    /// ``FolderEvents/folderRemoved`` and ``FolderEvents/overflowed`` are always reported. The loop handles changes
    /// before all other events, so that a request made after a change sees the change's effect.
    ///
    /// - Throws: ENOENT or ENOTDIR if there is no directory. ENOSPC if the user has no watches left
    ///   (fs.inotify.max_user_watches). EMFILE if no descriptor or inotify instance is available.
    package func watchFolder(
        _ path: String, _ events: FolderEvents, handler: @escaping @Sendable (FolderChange) -> Void
    ) throws(SystemdError) -> EventSource {
        let mask = events.rawValue | UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
        let source = try add("sd_event_add_inotify", path, handler: Handler(handler)) { source, context in
            sd_event_add_inotify(event, source, path, mask, Self.onFolder, context)
        }
        try source.setPriority(EventSource.urgent, path)
        return source
    }

    /// Calls `handler` each time the process receives the signal `number`. Every thread must have blocked the signal
    /// (``blockSignals(_:)``).
    package func signal(
        _ number: Int32, handler: @escaping @Sendable () -> Void
    ) throws(SystemdError) -> EventSource {
        try add("sd_event_add_signal", "signal \(number)", handler: Handler(handler)) { source, context in
            sd_event_add_signal(event, source, number, Self.onSignal, context)
        }
    }

    /// Blocks signals in the calling thread and in every thread that the calling thread starts later. Call this method
    /// at the start of `main`.
    package static func blockSignals(_ numbers: [Int32]) throws(SystemdError) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        let failed = pthread_sigmask(SIG_BLOCK, &set, nil)
        if failed != 0 {
            throw SystemdError(operation: "pthread_sigmask", code: failed, detail: "signals \(numbers)")
        }
    }

    // MARK: From C

    /// Boxes a handler, so that C can pass it as one pointer.
    private final class Handler<Call> {
        let call: Call
        init(_ call: Call) { self.call = call }
    }

    private func add<Call>(
        _ operation: String, _ detail: @autoclosure () -> String, handler: Handler<Call>,
        by create: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutableRawPointer) -> Int32
    ) throws(SystemdError) -> EventSource {
        checkIsolated()
        // The source owns one reference to the handler. The destroy callback releases this reference when sd-event
        // frees the source.
        let context = Unmanaged.passRetained(handler as AnyObject)
        var source: OpaquePointer?
        let result = create(&source, context.toOpaque())
        guard result >= 0, let source else {
            context.release()
            throw SystemdError(operation: operation, code: -result, detail: detail())
        }
        sd_event_source_set_destroy_callback(source, Self.onDestroy)
        return EventSource(loop: self, pointer: source)
    }

    private static let onDescriptor: sd_event_io_handler_t = { _, _, events, context in
        guard let context else { return 0 }
        typealias Call = @Sendable (DescriptorEvents) -> Void
        Unmanaged<Handler<Call>>.fromOpaque(context).takeUnretainedValue().call(DescriptorEvents(rawValue: events))
        return 0
    }

    private static let onTimer: sd_event_time_handler_t = { _, _, context in
        guard let context else { return 0 }
        Unmanaged<Handler<@Sendable () -> Void>>.fromOpaque(context).takeUnretainedValue().call()
        return 0
    }

    private static let onSignal: sd_event_signal_handler_t = { _, _, context in
        guard let context else { return 0 }
        Unmanaged<Handler<@Sendable () -> Void>>.fromOpaque(context).takeUnretainedValue().call()
        return 0
    }

    private static let onFolder: sd_event_inotify_handler_t = { _, event, context in
        guard let context, let event else { return 0 }
        typealias Call = @Sendable (FolderChange) -> Void
        let change = FolderChange(
            events: FolderEvents(rawValue: event.pointee.mask),
            entry: control_inotify_name(event).map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) })
        Unmanaged<Handler<Call>>.fromOpaque(context).takeUnretainedValue().call(change)
        return 0
    }

    private static let onDestroy: sd_event_destroy_t = { context in
        guard let context else { return }
        Unmanaged<AnyObject>.fromOpaque(context).release()
    }
}

extension Duration {
    /// The duration in microseconds, rounded down; 0 for a negative duration.
    fileprivate var wholeMicroseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
    }
}

/// The events of a descriptor, as in epoll_ctl(2).
package struct DescriptorEvents: OptionSet, Sendable {
    /// The kernel's event bits (epoll_ctl(2)).
    package let rawValue: UInt32

    /// Creates a set from the kernel's event bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Data or the end of the input can be read.
    package static let readable = DescriptorEvents(rawValue: EPOLLIN.rawValue)
}
