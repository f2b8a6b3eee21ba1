import Glibc

/// The sanitizer that this build runs under.
enum Sanitizer {
    /// Whether there is one: it multiplies a process's memory and time.
    static let isActive = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
