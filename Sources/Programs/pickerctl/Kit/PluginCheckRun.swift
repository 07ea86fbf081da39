import PluginProcesses

/// Runs checks of a plugin, one after the other.
struct PluginCheckRun {
    let trial: PluginTrial

    /// All that there are for the plugin.
    var allChecks: [PluginCheck] {
        var checks = WireChecks.all
        checks += MethodChecks.all(of: trial.manifest, trial.calls)
        for group in AttributeGroup.all(of: trial.manifest) {
            checks += ExtractionChecks(group).all
        }
        if trial.manifest.attributes.isEmpty {
            checks.append(.left("it reads attributes of files", "it contributes no attributes"))
        }
        checks += ContributionChecks.all(of: trial.manifest)
        return checks + LifeChecks.all
    }

    func run(_ checks: [PluginCheck], _ report: inout TapReport) throws(OutputError) {
        for check in checks {
            trial.record?.isPaused = !check.isSteady
            let end: NotPassed?
            do throws(NotPassed) {
                try check.run(trial)
                end = nil
            } catch {
                end = error
            }
            switch end?.kind {
            case nil: try report.pass(check.name)
            case .skipped: try report.skip(check.name, end?.why ?? "")
            case .failed:
                trial.dismiss()
                try report.fail(check.name, end?.why ?? "")
            }
        }
        trial.dismiss()
    }
}

extension PluginCheck {
    /// A check that does not concern this plugin, and why.
    static func left(_ name: String, _ why: String) -> PluginCheck {
        PluginCheck(name) { (_) throws(NotPassed) in throw .skipped(why) }
    }
}
