internal import CCurl
import Glibc

/// libcurl's memory: pieces that one transfer gives back are what the next one asks for.
///
/// A transfer takes and gives back some two dozen small pieces and one buffer. With many transfers under way glibc's
/// own thread cache, which keeps seven pieces of a size, overflows all the time; these lists keep enough for all of
/// them. Each thread has lists of its own, so there is no lock; a piece that is freed on another thread than it was
/// made on simply changes lists.
enum TransferMemory {
    /// Before each piece, for its class; as large as the strictest alignment, so that the piece is aligned too.
    private static let headerSize = 16
    private static let step = 64
    /// Classes of 64, 128, … 4096 bytes, and one for libcurl's transfer buffer; larger pieces come from malloc.
    private static let smallClasses = 64
    private static let bufferClass = smallClasses
    private static let bufferSize = EasyHandle.bufferSize + 64
    private static let unlisted = Int.max
    private static let keptSmall = 512
    private static let keptBuffers = 64

    /// Hands these functions to libcurl; to be called before any other of its functions.
    static func initializeLibrary() -> Bool {
        // Address Sanitizer sees into libcurl's memory only where that is its own.
        if dlsym(nil, "__asan_init") != nil { return curl_global_init(Int(CURL_GLOBAL_NOTHING)) == CURLE_OK }
        guard pthread_key_create(&key, { TransferMemory.releaseLists($0) }) == 0 else { return false }
        return curl_global_init_mem(
            Int(CURL_GLOBAL_NOTHING),
            { TransferMemory.allocate($0) },
            // Most of what libcurl frees is nil.
            { if let piece = $0 { TransferMemory.free(piece) } },
            { TransferMemory.reallocate($0, $1) },
            { TransferMemory.duplicate($0) },
            { TransferMemory.allocateZeroed($0, $1) }) == CURLE_OK
    }

    // Written once, before any thread uses it.
    nonisolated(unsafe) private static var key = pthread_key_t()

    /// One thread's lists: for each class the first free piece and their number. A free piece holds the next one's
    /// address.
    private struct Lists {
        var first: UnsafeMutableRawPointer?
        var count = 0
    }

    private static func lists() -> UnsafeMutablePointer<Lists>? {
        if let known = ccurl_thread_slot().pointee { return known.assumingMemoryBound(to: Lists.self) }
        return makeLists()
    }

    @inline(never)
    private static func makeLists() -> UnsafeMutablePointer<Lists>? {
        let fresh = UnsafeMutablePointer<Lists>.allocate(capacity: smallClasses + 1)
        fresh.initialize(repeating: Lists(), count: smallClasses + 1)
        // Nobody asks for this value: it is there so that the thread's end gives the lists back.
        guard pthread_setspecific(key, fresh) == 0 else {
            fresh.deallocate()
            return nil
        }
        ccurl_thread_slot().pointee = UnsafeMutableRawPointer(fresh)
        return fresh
    }

    /// A thread has ended: its free pieces go back.
    private static func releaseLists(_ raw: UnsafeMutableRawPointer?) {
        guard let lists = raw?.assumingMemoryBound(to: Lists.self) else { return }
        ccurl_thread_slot().pointee = nil
        for index in 0...smallClasses {
            var next = lists[index].first
            while let piece = next {
                next = piece.load(as: UnsafeMutableRawPointer?.self)
                Glibc.free(piece - headerSize)
            }
        }
        lists.deallocate()
    }

    private static func classOf(_ size: Int) -> Int {
        if size <= smallClasses * step { return max(0, size - 1) / step }
        return size > EasyHandle.bufferSize / 2 && size <= bufferSize ? bufferClass : unlisted
    }

    private static func capacity(of index: Int) -> Int { index == bufferClass ? bufferSize : (index + 1) * step }

    private static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        let index = classOf(size)
        if index != unlisted, let lists = lists(), let piece = lists[index].first {
            lists[index].first = piece.load(as: UnsafeMutableRawPointer?.self)
            lists[index].count -= 1
            return piece
        }
        let (total, overflow) = (index == unlisted ? size : capacity(of: index)).addingReportingOverflow(headerSize)
        guard !overflow, let block = malloc(total) else { return nil }
        block.storeBytes(of: index, as: Int.self)
        block.storeBytes(of: total - headerSize, toByteOffset: 8, as: Int.self)
        return block + headerSize
    }

    @inline(never)
    private static func free(_ piece: UnsafeMutableRawPointer) {
        let index = (piece - headerSize).load(as: Int.self)
        let limit = index == bufferClass ? keptBuffers : keptSmall
        guard index != unlisted, let lists = lists(), lists[index].count < limit else {
            return Glibc.free(piece - headerSize)
        }
        piece.storeBytes(of: lists[index].first, as: UnsafeMutableRawPointer?.self)
        lists[index].first = piece
        lists[index].count += 1
    }

    private static func reallocate(_ piece: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        guard let piece else { return allocate(size) }
        let capacity = (piece - headerSize).load(fromByteOffset: 8, as: Int.self)
        if size <= capacity { return piece }
        guard let larger = allocate(size) else { return nil }
        larger.copyMemory(from: piece, byteCount: capacity)
        free(piece)
        return larger
    }

    private static func duplicate(_ text: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
        guard let text else { return nil }
        let size = strlen(text) + 1
        guard let copy = allocate(size) else { return nil }
        copy.copyMemory(from: text, byteCount: size)
        return copy.assumingMemoryBound(to: CChar.self)
    }

    private static func allocateZeroed(_ count: Int, _ size: Int) -> UnsafeMutableRawPointer? {
        let (total, overflow) = count.multipliedReportingOverflow(by: size)
        guard !overflow, let piece = allocate(total) else { return nil }
        memset(piece, 0, total)
        return piece
    }
}
