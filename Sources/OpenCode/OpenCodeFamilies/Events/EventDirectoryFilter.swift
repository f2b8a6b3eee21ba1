// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Removes the frames of other directories from an event stream. All other bytes pass unchanged and in order.
///
/// After the decision about a frame (``EventJudgement``), its bytes pass or are dropped without being stored. Until
/// then, the bytes are held up to a limit; a frame that has not named a directory by then is removed. If the decision
/// needs a query (``question``), the frame and everything after it wait.
package struct EventDirectoryFilter: Sendable {
    /// The directories whose frames pass, from the next frame on.
    package var scope: DirectoryScope
    private let limit: Int
    private var scanner = EventScanner()
    private var judgement = EventJudgement()
    /// The first bytes of a frame about which no decision has been made.
    private var held: [UInt8] = []
    /// The bytes received after a frame that waits for a query.
    private var waiting: [UInt8] = []
    /// The decision about a line feed after the last frame, which ended with a carriage return. The line feed belongs
    /// to the end of that frame.
    private var lineFeedFate: EventJudgement.Fate?

    /// The query that must be resolved before the filter continues. Store its result in the session index and call
    /// ``goOn(_:pass:)``.
    package private(set) var question: EventSessionIndex.Question?

    /// The number of frames that were removed because their directory was not known within the limit.
    package private(set) var overlongFrames = 0

    /// Creates a filter at the beginning of a stream. The filter holds at most `limit` bytes.
    package init(scope: DirectoryScope, limit: Int) {
        self.scope = scope
        self.limit = limit
    }

    /// Filters the next bytes of the body, which may be split anywhere, and passes on the remaining bytes. Stores
    /// information about sessions in `knowledge`.
    package mutating func filter(
        _ bytes: borrowing Span<UInt8>, _ knowledge: inout EventSessionIndex, pass: (borrowing Span<UInt8>) -> Void
    ) {
        guard question != nil else { return run(bytes, with: &knowledge, pass: pass) }
        waiting.append(copying: bytes)
        guard held.count + waiting.count > limit else { return }
        overlongFrames += 1
        giveUp(&knowledge, pass)
    }

    /// Continues after ``question`` was resolved. Another query may follow it.
    package mutating func goOn(_ knowledge: inout EventSessionIndex, pass: (borrowing Span<UInt8>) -> Void) {
        guard let answered = question else { return }
        question = judgement.settle(answered, knowledge, in: scope)
        if question == nil { endQuestion(&knowledge, pass) }
    }

    /// Continues without the result of the query, which has failed.
    private mutating func giveUp(_ knowledge: inout EventSessionIndex, _ pass: (borrowing Span<UInt8>) -> Void) {
        guard let given = question else { return }
        // A further query after the pending updates cannot be awaited any more, so the event is removed.
        if judgement.settle(given, knowledge, in: scope) != nil { judgement.leaveOut() }
        question = nil
        endQuestion(&knowledge, pass)
    }

    /// Passes on or drops the frame that waited for a query, and processes the bytes received after it.
    private mutating func endQuestion(_ knowledge: inout EventSessionIndex, _ pass: (borrowing Span<UInt8>) -> Void) {
        if judgement.fate == .passes { pass(held.span) }
        if held.last == UInt8(ascii: "\r") { lineFeedFate = judgement.fate }
        beginFrame()
        var rest: [UInt8] = []
        swap(&rest, &waiting)
        run(rest.span, with: &knowledge, pass: pass)
    }

    /// Ends the body. Waiting frames pass if their directory is known.
    package mutating func finish(_ knowledge: inout EventSessionIndex, pass: (borrowing Span<UInt8>) -> Void) {
        while question != nil { giveUp(&knowledge, pass) }
    }

    private mutating func run(
        _ bytes: borrowing Span<UInt8>, with knowledge: inout EventSessionIndex, pass: (borrowing Span<UInt8>) -> Void
    ) {
        var output = Run()
        var frameStart = endOfLine(in: bytes, at: 0, &output, pass)
        var index = 0
        while let step = scanner.next(bytes, &index) {
            switch step {
            case .data(let range):
                guard judgement.isReading else { continue }
                judgement.scan(bytes.extracting(range), in: scope, isBehind: knowledge.isBehind)
            case .endOfData: break
            case .frame:
                question = judgement.finish(&knowledge, in: scope)
                if question != nil {
                    hold(bytes.extracting(frameStart..<index))
                    // The frame may be too long to be held, so the decision may already have been made.
                    guard judgement.fate != .undecided else {
                        output.flush(in: bytes, pass)
                        return waiting.append(copying: bytes.extracting(index..<bytes.count))
                    }
                    question = nil
                }
                if judgement.fate == .passes { send(frameStart..<index, of: bytes, to: &output, pass: pass) }
                if bytes[index - 1] == UInt8(ascii: "\r") { lineFeedFate = judgement.fate }
                beginFrame()
                frameStart = endOfLine(in: bytes, at: index, &output, pass)
            }
        }
        switch judgement.fate {
        case .passes: send(frameStart..<bytes.count, of: bytes, to: &output, pass: pass)
        case .isLeftOut: held = []
        case .undecided: hold(bytes.extracting(frameStart..<bytes.count))
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

    private mutating func beginFrame() {
        judgement.reset()
        held = []
    }

    private mutating func hold(_ bytes: borrowing Span<UInt8>) {
        guard held.count + bytes.count <= limit else {
            held = []
            judgement.leaveOut()
            overlongFrames += 1
            return
        }
        held.append(copying: bytes)
    }

    /// Passes on bytes of a frame, after its held bytes.
    private mutating func send(
        _ range: Range<Int>, of bytes: borrowing Span<UInt8>, to output: inout Run,
        pass: (borrowing Span<UInt8>) -> Void
    ) {
        if !held.isEmpty {
            output.flush(in: bytes, pass)
            pass(held.span)
            held = []
        }
        if output.range.upperBound != range.lowerBound { output.flush(in: bytes, pass) }
        output.range = output.range.isEmpty ? range : output.range.lowerBound..<range.upperBound
    }

    /// Adjacent bytes that are passed on in one call.
    private struct Run {
        var range = 0..<0

        mutating func flush(in bytes: borrowing Span<UInt8>, _ pass: (borrowing Span<UInt8>) -> Void) {
            if !range.isEmpty { pass(bytes.extracting(range)) }
            range = 0..<0
        }
    }
}
