// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Removes the frames of other directories from an event stream. All other bytes pass unchanged and in order.
///
/// After the decision about a frame (``EventJudgement``), its bytes pass or are dropped without being stored. Until
/// then, the bytes are held up to a limit. A frame that has not named a directory within this limit is removed. If the
/// decision needs a query (``query``), the frame and everything after it wait.
package struct EventDirectoryFilter: Sendable {
    /// The directories whose frames pass, from the next frame on.
    package var scope: DirectoryScope
    private let limit: Int
    private var scanner = EventScanner()
    private var judgement = EventJudgement()
    /// The first bytes of a frame about which no decision has been made.
    private var buffered: [UInt8] = []
    /// The bytes received after a frame that waits for a query.
    private var waiting: [UInt8] = []
    /// The decision about a line feed after the last frame, which ended with a carriage return. The line feed belongs
    /// to the end of that frame.
    private var lineFeedFate: EventJudgement.Fate?

    /// The query that must be resolved before the filter continues. Store its result in the session index and call
    /// ``resume(_:pass:)``.
    package private(set) var query: EventSessionIndex.Query?

    /// The number of frames that were removed because their directory was not known within the limit.
    package private(set) var overlongFrames = 0

    /// Creates a filter at the beginning of a stream. The filter holds at most `limit` bytes.
    package init(scope: DirectoryScope, limit: Int) {
        self.scope = scope
        self.limit = limit
    }

    /// Filters the next bytes of the body, which may be split anywhere, and passes on the bytes that are not removed.
    /// Stores information about sessions in `index`.
    package mutating func filter(
        _ bytes: borrowing Span<UInt8>, _ index: inout EventSessionIndex, pass: (borrowing Span<UInt8>) -> Void
    ) {
        guard query != nil else { return run(bytes, with: &index, pass: pass) }
        waiting.append(copying: bytes)
        guard buffered.count + waiting.count > limit else { return }
        overlongFrames += 1
        resumeWithoutAnswer(&index, pass)
    }

    /// Continues after ``query`` was resolved. Another query may follow it.
    package mutating func resume(_ index: inout EventSessionIndex, pass: (borrowing Span<UInt8>) -> Void) {
        guard let answered = query else { return }
        query = judgement.settle(answered, index, in: scope)
        if query == nil { finishQuery(&index, pass) }
    }

    /// Continues without the result of the query, which has failed.
    private mutating func resumeWithoutAnswer(_ index: inout EventSessionIndex, _ pass: (borrowing Span<UInt8>) -> Void)
    {
        guard let pending = query else { return }
        // A further query after the pending updates cannot be awaited any more, so the event is removed.
        if judgement.settle(pending, index, in: scope) != nil { judgement.remove() }
        query = nil
        finishQuery(&index, pass)
    }

    /// Passes on or drops the frame that waited for a query, and processes the bytes received after it.
    private mutating func finishQuery(_ index: inout EventSessionIndex, _ pass: (borrowing Span<UInt8>) -> Void) {
        if judgement.fate == .passes { pass(buffered.span) }
        if buffered.last == UInt8(ascii: "\r") { lineFeedFate = judgement.fate }
        startFrame()
        var remaining: [UInt8] = []
        swap(&remaining, &waiting)
        run(remaining.span, with: &index, pass: pass)
    }

    /// Ends the body. Waiting frames pass if their directory is known.
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
                    // The frame may be too long to be held, so the decision may already have been made.
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

    /// Consumes the line feed that may follow a frame at `start`. Returns the start of the next frame.
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

    /// Passes on bytes of a frame, after its held bytes.
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

    /// A range of adjacent bytes, which is passed on in one call.
    private struct Run {
        var range = 0..<0

        mutating func flush(in bytes: borrowing Span<UInt8>, _ pass: (borrowing Span<UInt8>) -> Void) {
            if !range.isEmpty { pass(bytes.extracting(range)) }
            range = 0..<0
        }
    }
}
