import Keyutils

/// The pages of the documentation that `.ci/guides` turns into manual pages of section 7.
///
/// It adds pages about one command to that command's manual page, such as `skr-source`.
enum Guide: String, CaseIterable {
    case command = "skr-command"
    case useItWith = "skr-use-it-with"
    case shellRecipes = "skr-shell-recipes"
    case loginEnvironments = "skr-login-environments"
    case guarantees = "skr-guarantees"

    /// How to read the page, for hints.
    var reference: String { "'man \(rawValue)'" }

    /// The subject of the page, for the manual page of skr.
    var subject: String {
        switch self {
        case .command: "all verbs on one page"
        case .useItWith: "git, docker, aws, kubectl, pip and others"
        case .shellRecipes: "curl, ssh, restic, psql, direnv, cron"
        case .loginEnvironments: "ssh, su, sudo, cron, tmux, containers"
        case .guarantees: "guarantees, sizes and quota"
        }
    }
}
