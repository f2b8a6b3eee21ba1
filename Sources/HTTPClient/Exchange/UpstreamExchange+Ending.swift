import HTTPTypes

/// What the end of a transfer means for the answer.
extension UpstreamExchange {
    func failure(_ result: TransferResult) -> UpstreamFailure? {
        switch result {
        case .refused: return .refused
        case .outOfDescriptors: return .outOfDescriptors
        case .failed(let reason) where status == 0: return .noAnswer(reason)
        case .failed where isSalvaged && bodyReader.endsWhole: return nil
        case .failed(let reason): return .brokenBody(reason)
        case .complete where status == 0: return .noAnswer("the connection was closed")
        case .complete:
            if hasExcess { return .brokenBody(Self.sentence(.excess)) }
            do throws(ResponseBodyReader.Fault) {
                try bodyReader.closed()
                return nil
            } catch {
                return .brokenBody(Self.sentence(error))
            }
        }
    }

    /// libcurl drops bytes behind a body's end and closes the connection; that is all that tells of them.
    private var hasExcess: Bool {
        guard !isEndedHere, connectionWasClosed, framing != .untilClose, !headReader.isHTTP10, isUploadSent, status != 0
        else { return false }
        return !isLastOnConnection
    }

    /// Whether the exchange ends before libcurl has seen the answer's end, or the connection is not meant to be kept.
    private var isEndedHere: Bool {
        socket != nil || framing == .chunked || mayUpgrade || method == .head && hasBody
    }

    /// Whether the answer is an end to the upload. libcurl sends nothing more of a body after such a status, but does not end a
    /// transfer whose upload has paused; and nobody goes on with an upload that an event stream has answered.
    var isUploadRefused: Bool { !isUploadSent && (status >= 300 || isStream) }

    var isUploadSent: Bool {
        guard isStreamed else { return true }
        return isUploadComplete && uploadQueue.isEmpty
    }

    static func sentence(_ fault: ResponseBodyReader.Fault) -> String {
        switch fault {
        case .truncated: "the connection was closed before the body's end"
        case .excess: "more bytes came than the head promised"
        case .chunked(let fault): "its chunked coding is broken (\(fault))"
        }
    }
}

/// How a transfer has ended.
enum TransferResult: Equatable {
    case complete
    case refused
    /// No connection could be opened.
    case outOfDescriptors
    case failed(String)
}
