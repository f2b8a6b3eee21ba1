internal import CSystemd

/// What happens on a descriptor, as epoll_ctl(2) says it.
package struct DescriptorEvents: OptionSet, Sendable {
    /// The kernel's bits.
    package let rawValue: UInt32

    /// From the kernel's bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There is something to read, or the end of it.
    package static let readable = DescriptorEvents(rawValue: EPOLLIN.rawValue)
    /// There is room to write.
    package static let writable = DescriptorEvents(rawValue: EPOLLOUT.rawValue)
    /// The other end is gone; always reported.
    package static let hangUp = DescriptorEvents(rawValue: EPOLLHUP.rawValue)
    /// The descriptor has an error; always reported.
    package static let failure = DescriptorEvents(rawValue: EPOLLERR.rawValue)
}
