// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The sanitizer that this build runs with.
enum Sanitizer {
    /// Whether a sanitizer is active, which multiplies a process's memory and time.
    static let isActive = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
