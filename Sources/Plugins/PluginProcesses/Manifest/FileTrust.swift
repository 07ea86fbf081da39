internal import SystemInterface

/// Whose files the daemon runs: those that only this user and root can change, and one other owner.
struct FileTrust {
    let user: UInt32
    var other: UInt32?

    /// Why a file can't be trusted, after "it "; nil if it can. The mode is ignored for a folder in which others can
    /// only make files of their own.
    func distrust(_ status: FileStatus, ignoringMode: Bool = false) -> String? {
        guard [user, 0, other].contains(status.owner) else {
            return "belongs to user \(status.owner); it must be yours or root's"
        }
        guard status.permissions & 0o022 == 0 || ignoringMode else {
            return "can be written by others than its owner (mode \(octal(status.permissions))); "
                + "'chmod go-w' helps"
        }
        return nil
    }

    /// Whether this user may execute the file, as far as the mode tells it: what groups the user has is not looked at.
    func mayExecute(_ status: FileStatus) -> Bool {
        if user == 0 { return status.permissions & 0o111 != 0 }
        return status.permissions & (status.owner == user ? 0o100 : 0o011) != 0
    }

    private func octal(_ permissions: UInt32) -> String { String(permissions, radix: 8) }
}
