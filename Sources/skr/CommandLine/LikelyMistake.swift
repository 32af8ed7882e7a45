import CommandSupport

/// Words that people type because other programs accept them, and what to type instead.
enum LikelyMistake {
    /// Returns what to type instead of a verb that skr doesn't have.
    static func hint(forVerb word: String) -> String? {
        switch word {
        case "logoff", "signout":
            "'skr clear' deletes what is stored, 'skr logout SERVICE' an OAuth login; all of it is gone with the session anyway"
        case "signin":
            "'skr login SERVICE' logs in with OAuth, 'skr set SERVICE' stores a secret, 'exec skr session' starts a session"
        case "edit", "change", "update": "store the new secret under the same name: skr set SERVICE"
        case "rename", "mv", "move":
            "copy it, then delete the old one: skr get OLD | skr set --raw NEW && skr delete OLD"
        case "copy", "cp": "skr get OLD | skr set --raw NEW"
        case "status":
            "'skr list' shows what is stored, 'skr doctor' checks this login, 'skr helper status' the clients"
        case "unlock": "a lock is released when its command ends: skr lock NAME -- CMD"
        case "export":
            "pass secrets to a command: skr exec --env NAME=skr://SERVICE -- CMD; 'skr list' shows their names"
        default: nil
        }
    }

    /// Returns what to type instead of an option that the verb doesn't have.
    ///
    /// - Parameter verb: the name of the verb; `helper` for all of its verbs.
    static func hint(forOption option: String, of verb: String) -> String? {
        switch option {
        case "--ttl", "--expire", "--expires", "--expiry", "--expiration", "--lifetime":
            guard ["set", "cached", "expire", "lock", "helper"].contains(verb) else { return nil }
            return "the option is --timeout, for instance --timeout 8h"
        case "--version": return "'skr --version' prints the version"
        case "--generate-completion-script": return "'skr help completions' shows how to get the scripts"
        case "-f":
            return switch verb {
            case "get": "the option is --field PATH"
            case "exec": "the option is --file VAR=skr://..., or --env-file FILE"
            case "env": "the option is --env-file FILE"
            case "inject": "the option is -i FILE"
            default: nil
            }
        default: return nil
        }
    }
}
