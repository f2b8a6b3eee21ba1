// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Removes the frames that belong to other directories from an event stream. All other bytes pass unchanged and in
/// order.
///
/// Until the decision about a frame (``EventJudgement``), the filter stores the frame's bytes up to a limit. If the
/// frame has named no directory within this limit, the filter removes the frame. After the decision, the filter passes
/// or drops the remaining bytes without storing them. If the decision needs a query (``query``), the frame and all
/// later bytes wait.
package struct EventDirectoryFilter: Sendable {
    /// The directories whose frames pass. A change applies from the next frame on.
    package var scope: DirectoryScope
    private let limit: Int
    private var scanner = EventScanner()
    private var judgement = EventJudgement()
    /// The bytes of a frame about which no decision has been made.
    private var buffered: [UInt8] = []
    /// The bytes received after a frame that waits for a query.
    private var waiting: [UInt8] = []
    /// The decision about a line feed after a frame that ended with a carriage return. Such a line feed belongs to the
    /// end of the frame.
    private var lineFeedFate: EventJudgement.Fate?

    /// The query that must be resolved before the filter continues. Store the result of the query in the session index,
    /// and call ``resume(_:pass:)``.
    package private(set) var query: EventSessionIndex.Query?

    /// The number of frames for which the filter reached its limit before it knew the frame's directory.
    package private(set) var overlongFrames = 0

    /// Creates a filter at the beginning of a stream. The filter stores at most `limit` bytes.
    package init(scope: DirectoryScope, limit: Int) {
        self.scope = scope
        self.limit = limit
    }

    /// Filters the next bytes of the body, which may be split anywhere, and passes the bytes that are not removed to
    /// `pass`. Stores information about sessions in `index`.
    package mutating func filter(
        _ bytes: borrowing Span<UInt8>, _ index: inout EventSessionIndex, pass: (borrowing Span<UInt8>) -> Void
    ) {
        guard query != nil else { return run(bytes, with: &index, pass: pass) }
        waiting.append(copying: bytes)
        guard buffered.count + waiting.count > limit else { return }
        overlongFrames += 1
        resumeWithoutAnswer(&index, pass)
    }

    /// Continues after ``query`` was resolved. The frame that waited for the query may need another query.
    package mutating func resume(_ index: inout EventSessionIndex, pass: (borrowing Span<UInt8>) -> Void) {
        guard let answered = query else { return }
        query = judgement.settle(answered, index, in: scope)
        if query == nil { finishQuery(&index, pass) }
    }

    /// Continues without the result of a query that has failed or takes too long.
    private mutating func resumeWithoutAnswer(_ index: inout EventSessionIndex, _ pass: (borrowing Span<UInt8>) -> Void)
    {
        guard let pending = query else { return }
        // After the query for the updates, the event may need another query. The filter can no longer wait for a query,
        // so remove the event.
        if judgement.settle(pending, index, in: scope) != nil { judgement.remove() }
        query = nil
        finishQuery(&index, pass)
    }

    /// Passes or drops the frame that waited for a query, and processes the bytes that were received after the frame.
    private mutating func finishQuery(_ index: inout EventSessionIndex, _ pass: (borrowing Span<UInt8>) -> Void) {
        if judgement.fate == .passes { pass(buffered.span) }
        if buffered.last == UInt8(ascii: "\r") { lineFeedFate = judgement.fate }
        startFrame()
        var remaining: [UInt8] = []
        swap(&remaining, &waiting)
        run(remaining.span, with: &index, pass: pass)
    }

    /// Ends the body. A frame that still waits for a query passes if its directory is known.
    package mutating func finish(_ index: inout EventSessionIndex, pass: (borrowing Span<UInt8>) -> Void) {
        while query != nil { resumeWithoutAnswer(&index, pass) }
    }

    private mutating func run(
        _ bytes: borrowing Span<UInt8>, with sessionIndex: inout EventSessionIndex,
        pass: (borrowing Span<UInt8>) -> Void
    ) {
        var output = Run()
        var frameStart = endOfLine(in: bytes, at: 0, &output, pass)
        var index = 0
        while let step = scanner.next(bytes, &index) {
            switch step {
            case .data(let range):
                guard judgement.isReading else { continue }
                judgement.scan(bytes.extracting(range), in: scope, hasPendingUpdates: sessionIndex.hasPendingUpdates)
            case .endOfData: break
            case .frame:
                query = judgement.finish(&sessionIndex, in: scope)
                if query != nil {
                    buffer(bytes.extracting(frameStart..<index))
                    // If the frame is too long to be stored, the frame has already been removed.
                    guard judgement.fate != .undecided else {
                        output.flush(in: bytes, pass)
                        return waiting.append(copying: bytes.extracting(index..<bytes.count))
                    }
                    query = nil
                }
                if judgement.fate == .passes { send(frameStart..<index, of: bytes, to: &output, pass: pass) }
                if bytes[index - 1] == UInt8(ascii: "\r") { lineFeedFate = judgement.fate }
                startFrame()
                frameStart = endOfLine(in: bytes, at: index, &output, pass)
            }
        }
        switch judgement.fate {
        case .passes: send(frameStart..<bytes.count, of: bytes, to: &output, pass: pass)
        case .isRemoved: buffered = []
        case .undecided: buffer(bytes.extracting(frameStart..<bytes.count))
        }
        output.flush(in: bytes, pass)
    }

    /// Consumes the line feed at `start` if it belongs to the end of the previous frame. Returns the start of the next
    /// frame.
    private mutating func endOfLine(
        in bytes: borrowing Span<UInt8>, at start: Int, _ output: inout Run,
        _ pass: (borrowing Span<UInt8>) -> Void
    ) -> Int {
        guard let fate = lineFeedFate, start < bytes.count else { return start }
        lineFeedFate = nil
        guard bytes[start] == UInt8(ascii: "\n") else { return start }
        if fate == .passes { send(start..<start + 1, of: bytes, to: &output, pass: pass) }
        return start + 1
    }

    private mutating func startFrame() {
        judgement.reset()
        buffered = []
    }

    private mutating func buffer(_ bytes: borrowing Span<UInt8>) {
        guard buffered.count + bytes.count <= limit else {
            buffered = []
            judgement.remove()
            overlongFrames += 1
            return
        }
        buffered.append(copying: bytes)
    }

    /// Passes bytes of a frame after the stored bytes of the same frame.
    private mutating func send(
        _ range: Range<Int>, of bytes: borrowing Span<UInt8>, to output: inout Run,
        pass: (borrowing Span<UInt8>) -> Void
    ) {
        if !buffered.isEmpty {
            output.flush(in: bytes, pass)
            pass(buffered.span)
            buffered = []
        }
        if output.range.upperBound != range.lowerBound { output.flush(in: bytes, pass) }
        output.range = output.range.isEmpty ? range : output.range.lowerBound..<range.upperBound
    }

    /// A range of adjacent bytes, which the filter passes in one call.
    private struct Run {
        var range = 0..<0

        mutating func flush(in bytes: borrowing Span<UInt8>, _ pass: (borrowing Span<UInt8>) -> Void) {
            if !range.isEmpty { pass(bytes.extracting(range)) }
            range = 0..<0
        }
    }
}
