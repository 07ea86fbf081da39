// Descriptor numbers for tests that say which ones they want, in a process whose other tests take the lowest ones.

import Glibc

/// The end of the numbers that a descriptor may have. Those right below it are far from what other tests get.
package var endOfDescriptorNumbers: Int32 {
    var limit = rlimit()
    // The pointer is to a local variable that outlives the call.
    let code = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    precondition(code == 0, "the limit of descriptors can be read")
    return Int32(min(limit.rlim_cur, 1 << 16))
}

/// Copies of two descriptors, with consecutive numbers and without close-on-exec. The kernel chooses among the free
/// numbers: one that is in use is never taken from its owner.
/// - Returns: the first number; nil if no two are free near the end.
package func copyToConsecutive(_ first: Int32, _ second: Int32) -> Int32? {
    let end = endOfDescriptorNumbers
    for wanted in stride(from: end - 2, to: end - 200, by: -2) {
        let numbers = [fcntl(first, F_DUPFD, wanted), fcntl(second, F_DUPFD, wanted + 1)]
        if numbers == [wanted, wanted + 1] { return wanted }
        for number in numbers where number >= 0 { close(number) }
    }
    return nil
}
