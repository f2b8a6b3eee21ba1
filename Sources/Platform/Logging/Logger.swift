// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The interface through which the gateway's components log: a sink, a minimum level, and fields that are added to
/// every line.
package struct Logger: Sendable {
    /// The minimum level; less severe lines are not written.
    package let level: LogLevel
    /// The fields that precede a line's own fields.
    package let fields: [LogField]
    private let sink: any LogSink
    private let now: @Sendable () -> Int64

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - sink: The destination of the records.
    ///   - level: The minimum level.
    ///   - fields: The fields with which every line begins.
    ///   - now: Returns the wall-clock time in nanoseconds since 1970. Tests supply their own clock.
    package init(
        sink: any LogSink, level: LogLevel = .info, fields: [LogField] = [],
        now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds
    ) {
        self.sink = sink
        self.level = level
        self.fields = fields
        self.now = now
    }

    /// Returns the same logger with further fields after its own.
    package func with(_ fields: LogField...) -> Logger {
        Logger(sink: sink, level: level, fields: self.fields + fields, now: now)
    }

    /// Returns whether lines of this level are written. Call this method before building an expensive line.
    package func isEnabled(_ level: LogLevel) -> Bool {
        level >= self.level
    }

    /// Writes one line if its level is enabled. Evaluates `message` only in that case.
    package func log(_ level: LogLevel, _ message: @autoclosure () -> String, fields: [LogField] = []) {
        guard isEnabled(level) else { return }
        let all = self.fields.isEmpty ? fields : self.fields + fields
        sink.write(LogRecord(time: now(), level: level, message: message(), fields: all))
    }

    /// Writes the access log line of one request at level info.
    package func log(_ line: AccessLine) {
        guard isEnabled(.info) else { return }
        sink.write(line.record(time: now()))
    }

    /// Logs a detail that is useful only for debugging.
    package func debug(_ message: @autoclosure () -> String, _ fields: LogField...) {
        log(.debug, message(), fields: fields)
    }

    /// Logs an event of normal operation.
    package func info(_ message: @autoclosure () -> String, _ fields: LogField...) {
        log(.info, message(), fields: fields)
    }

    /// Logs a normal but significant event.
    package func notice(_ message: @autoclosure () -> String, _ fields: LogField...) {
        log(.notice, message(), fields: fields)
    }

    /// Logs a problem from which the gateway recovers.
    package func warning(_ message: @autoclosure () -> String, _ fields: LogField...) {
        log(.warning, message(), fields: fields)
    }

    /// Logs a failure of an operation.
    package func error(_ message: @autoclosure () -> String, _ fields: LogField...) {
        log(.error, message(), fields: fields)
    }
}
