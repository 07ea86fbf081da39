internal import ArgumentParser
internal import Glibc

// The exit status says whose fault it is: 0 told to end, 1 the daemon's or the machine's, 2 the
// command line's, 78 the settings file's.
do {
    exit(try PickerdCommand.parse().run())
} catch {
    PickerdCommand.finish(with: error)
}
