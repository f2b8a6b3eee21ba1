internal import Clocks

/// What a part of the gateway logs through: a sink, the least grave level that is written, and fields that every line gets.
package struct Logger: Sendable {
    /// Lines less grave than this are left out.
    package let level: LogLevel
    /// Fields that stand before a line's own.
    package let fields: [LogField]
    private let sink: any LogSink
    private let now: @Sendable () -> Int64

    /// `now` gives the wall-clock time in nanoseconds since 1970; tests pass their own.
    package init(
        sink: any LogSink, level: LogLevel = .info, fields: [LogField] = [],
        now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds
    ) {
        self.sink = sink
        self.level = level
        self.fields = fields
        self.now = now
    }

    /// The same logger with `fields` behind those that it has.
    package func with(_ fields: LogField...) -> Logger {
        Logger(sink: sink, level: level, fields: self.fields + fields, now: now)
    }

    /// Whether a line of that level is written: ask before making a costly one.
    package func isEnabled(_ level: LogLevel) -> Bool {
        level >= self.level
    }

    /// Writes one line, or nothing where the level is left out; `message` is made only when it is written.
    package func log(_ level: LogLevel, _ message: @autoclosure () -> String, _ fields: [LogField] = []) {
        guard isEnabled(level) else { return }
        let all = self.fields.isEmpty ? fields : self.fields + fields
        sink.write(LogRecord(time: now(), level: level, message: message(), fields: all))
    }

    /// Writes the access log's line of one request, at level info.
    package func log(_ line: AccessLine) {
        guard isEnabled(.info) else { return }
        sink.write(line.record(time: now()))
    }

    /// What only somebody who looks for a fault wants to see.
    package func debug(_ message: @autoclosure () -> String, _ fields: LogField...) {
        log(.debug, message(), fields)
    }

    /// What happens in the ordinary course of things.
    package func info(_ message: @autoclosure () -> String, _ fields: LogField...) {
        log(.info, message(), fields)
    }

    /// What is ordinary but worth noticing.
    package func notice(_ message: @autoclosure () -> String, _ fields: LogField...) {
        log(.notice, message(), fields)
    }

    /// What is wrong but is got over.
    package func warning(_ message: @autoclosure () -> String, _ fields: LogField...) {
        log(.warning, message(), fields)
    }

    /// What failed.
    package func error(_ message: @autoclosure () -> String, _ fields: LogField...) {
        log(.error, message(), fields)
    }
}
