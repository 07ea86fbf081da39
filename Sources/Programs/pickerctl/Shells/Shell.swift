import ArgumentParser

/// A shell that pickerctl has completions and keys for.
package enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish
}
