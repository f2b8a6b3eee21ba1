/// Leaves out of an event stream the frames of other directories; all other bytes pass as they came.
///
/// A frame's fate is decided as soon as its JSON has named its directory, which OpenCode writes first: from there on its
/// bytes pass, or are dropped, without being kept. Until then they are held, up to a limit; a frame that has not named a
/// directory by then is left out. A frame that names none (`server.connected`, heartbeats, comments) passes once it is
/// whole, unless it tells of another project's folder (`project.updated`).
package struct EventDirectoryFilter: Sendable {
    private enum Fate { case undecided, passes, isLeftOut }

    private let scope: DirectoryScope
    private let limit: Int
    private var scanner = EventScanner()
    private var reader = EventDirectoryReader()
    private var fate = Fate.undecided
    /// The first bytes of a frame whose fate is open.
    private var held: [UInt8] = []
    private var isAboutAnother = false
    /// The fate of a line feed behind the last frame, which ended with a carriage return: it belongs to that frame's end.
    private var lineFeedFate: Fate?

    /// Frames that were left out because they had not named a directory within the limit.
    package private(set) var overlongFrames = 0

    /// A filter for one stream, at its beginning, which holds `limit` bytes at most.
    package init(scope: DirectoryScope, limit: Int) {
        self.scope = scope
        self.limit = limit
    }

    /// Takes the next bytes of the body, split anywhere, and hands over those that go on.
    package mutating func filter(_ bytes: borrowing Span<UInt8>, pass: (borrowing Span<UInt8>) -> Void) {
        var output = Run()
        var frameStart = endOfLine(in: bytes, at: 0, &output, pass)
        var index = 0
        while let step = scanner.next(bytes, &index) {
            switch step {
            case .data(let range): if fate == .undecided { read(bytes.extracting(range)) }
            case .frame:
                if fate == .undecided { fate = isAboutAnother ? .isLeftOut : .passes }
                if fate == .passes { send(frameStart..<index, of: bytes, &output, pass) }
                if bytes[index - 1] == UInt8(ascii: "\r") { lineFeedFate = fate }
                beginFrame()
                frameStart = endOfLine(in: bytes, at: index, &output, pass)
            }
        }
        switch fate {
        case .passes: send(frameStart..<bytes.count, of: bytes, &output, pass)
        case .isLeftOut: held = []
        case .undecided: hold(bytes.extracting(frameStart..<bytes.count))
        }
        output.end(in: bytes, pass)
    }

    /// As ``filter(_:pass:)`` for bytes in an array.
    package mutating func filter(_ bytes: [UInt8], pass: (borrowing Span<UInt8>) -> Void) {
        filter(bytes.span, pass: pass)
    }

    /// Takes the line feed that may follow a frame at `start`; answers where the next frame begins.
    private mutating func endOfLine(
        in bytes: borrowing Span<UInt8>, at start: Int, _ output: inout Run,
        _ pass: (borrowing Span<UInt8>) -> Void
    ) -> Int {
        guard let fate = lineFeedFate, start < bytes.count else { return start }
        lineFeedFate = nil
        guard bytes[start] == UInt8(ascii: "\n") else { return start }
        if fate == .passes { send(start..<start + 1, of: bytes, &output, pass) }
        return start + 1
    }

    private mutating func beginFrame() {
        reader.reset()
        fate = .undecided
        held = []
        isAboutAnother = false
    }

    private mutating func read(_ data: borrowing Span<UInt8>) {
        var index = 0
        while fate == .undecided, let finding = reader.next(data, &index) {
            switch finding {
            // Events of the whole server; what they are about is seen further on.
            case .directory(let path?) where path.isEmpty || path.elementsEqual("global".utf8): break
            case .directory(let path):
                let isOwn = path.map { $0.first == UInt8(ascii: "/") && scope.holds($0[...]) } ?? false
                fate = isOwn ? .passes : .isLeftOut
            case .worktree(let path):
                if path.map({ !scope.isRelated(to: $0[...]) }) ?? true { isAboutAnother = true }
            }
        }
        if fate == .undecided, reader.hasEnded { fate = isAboutAnother ? .isLeftOut : .passes }
    }

    private mutating func hold(_ bytes: borrowing Span<UInt8>) {
        guard held.count + bytes.count <= limit else {
            held = []
            fate = .isLeftOut
            overlongFrames += 1
            return
        }
        for index in bytes.indices { held.append(bytes[index]) }
    }

    /// Lets bytes of a frame go on, behind what was held of it.
    private mutating func send(
        _ range: Range<Int>, of bytes: borrowing Span<UInt8>, _ output: inout Run,
        _ pass: (borrowing Span<UInt8>) -> Void
    ) {
        if !held.isEmpty {
            output.end(in: bytes, pass)
            pass(held.span)
            held = []
        }
        if output.range.upperBound != range.lowerBound { output.end(in: bytes, pass) }
        output.range = output.range.isEmpty ? range : output.range.lowerBound..<range.upperBound
    }

    /// Neighbouring bytes that go on together.
    private struct Run {
        var range = 0..<0

        mutating func end(in bytes: borrowing Span<UInt8>, _ pass: (borrowing Span<UInt8>) -> Void) {
            if !range.isEmpty { pass(bytes.extracting(range)) }
            range = 0..<0
        }
    }
}
