# The check functions, and the checks for every environment.

passed=0
failed=0

# check WHAT COMMAND...: runs the command, prints one line, and counts passed and failed checks.
check() {
    local what=$1
    shift
    if "$@"; then
        echo "ok - $name: $what"
        passed=$((passed + 1))
    else
        echo "not ok - $name: $what"
        failed=$((failed + 1))
    fi
}

# row USE SHARED END REMEDY: prints a row of the page's table, if the scenario has had checks and none has failed.
row() { [ "$passed" = "$passed_before" ] || [ "$failed" != "$failed_before" ] || printf '| %s | %s | %s | %s |\n' "$@" | tee -a "$work/rows"; }

# says FILE PATTERN: succeeds if a line of the file matches the extended regular expression.
says() {
    grep -qE -- "$2" "$1" && return
    sed 's/^/#   /' "$1"
    echo "#   no line matches: $2"
    return 1
}

# holds FILE LINES: succeeds if the file has these lines, one directly after another.
holds() {
    [[ $'\n'$(<"$1")$'\n' == *$'\n'"$2"$'\n'* ]] && return
    sed 's/^/#   /' "$1"
    printf '%s\n' "$2" | sed 's/^/#   expected: /'
    return 1
}

await() {
    for _ in {1..400}; do [ -e "$1" ] && return; sleep 0.025; done
    echo "# timed out waiting for $1"
    return 1
}

# steps_of STEP OUTPUT: sets the variable arguments to bash's arguments for running a step in a login.
steps_of() { arguments=("$work/steps" "$1" "$2" "$skr" "environment-$name"); }

# The lines that the step life prints, once for each scope.
life='set 0
trial get 0
password	life		5	some minutes
delete 0
get 1'

# refused UID: prints the step's lines for another user's session, if the scope is not given explicitly.
refused() {
    cat <<LINES
skr: error: life: the session belongs to user $1, who could read what is stored in it
skr: hint: start your own session with 'exec skr session', or use --scope user; to share this one, --scope session; see 'man skr-login-environments'
set 77
skr: error: life: no such item, or it has expired (namespace environment-$name)
skr: hint: store it with 'skr set'; 'skr list' shows what is stored
skr: hint: each login has its own session; logins share --scope user, or 'skr session --join': see 'man skr-login-environments'
 get 1
skr: error: life: no such item, or it has expired (namespace environment-$name)
skr: hint: 'skr list' shows what is stored
skr: hint: each login has its own session; logins share --scope user, or 'skr session --join': see 'man skr-login-environments'
delete 1
get 1
LINES
}

# shared_warning UID: prints the warning of a verb that stores without a session keyring and without an explicit scope.
shared_warning() {
    cat <<LINES
skr: warning: no session keyring: all processes of user $1 without a session can read what is stored here
skr: hint: start a session first with 'exec skr session', or store for all sessions with --scope user
LINES
}

# check_logins ENTER USER CLASS SHARED: checks two logins of a user at the same time.
#
# ENTER USER COMMAND... runs the command in the environment. CLASS is the name of the environment's class in KERNEL.md.
# SHARED is "shared" if the second login sees the items in the first login's session.
check_logins() {
    local enter=$1 login=$2 class=$3 shared=$4
    local hold=$work/out/$name.$login.$enter.hold visit=$work/out/$name.$login.$enter.visit
    steps_of hold "$hold"
    "$enter" "$login" bash "${arguments[@]}" </dev/null >"$hold.login" 2>&1 &
    local holding=$!
    await "$hold.ready" || cat "$hold.login"
    steps_of visit "$visit"
    "$enter" "$login" bash "${arguments[@]}" </dev/null >"$visit.login" 2>&1
    await "$visit.done" || cat "$visit.login"
    touch "$hold.release"
    wait "$holding"
    await "$hold.done"

    local unsaid=$life
    [ "$class" = foreign ] && unsaid=$(refused 0)
    [ "$class" = none ] && unsaid=$(shared_warning "$(id -u "$login")")$'\n'$life
    check "$login: another process gets, lists and deletes a stored secret in every scope; another user's session needs --scope" \
        holds "$visit" "$unsaid"$'\n'"$life"$'\n'"$life"$'\n'"$life"
    if [ "$shared" = shared ]; then
        check "$login: another login sees the session's items" says "$visit" '^session trial$'
    else
        check "$login: another login does not see the session's items" says "$visit" '^session $'
    fi
    check "$login: another login sees the user scope's items" says "$visit" '^user trial$'
    check "$login: doctor describes the session" says "$visit" "$(session_verdict "$class" "$login")"
    check "$login: doctor reports that the user scope works" says "$visit" '^ok +user  .*stored and read back \(keyring [0-9]+ _uid\.'
    check "$login: doctor reports that the persistent scope works" says "$visit" '^ok +persistent  .*read back \(keyring [0-9]+ _persistent\.'
    check "$login: doctor ends with 0" says "$visit" '^doctor 0$'
    check "$login: the first login had no error" test ! -s "$hold"
}

# session_verdict CLASS USER: prints a pattern for doctor's line about the session in this class of environment.
session_verdict() {
    local id
    id=$(id -u "$2")
    case $1 in
        none) echo "^warning +session  +no session keyring: all processes of uid $id without a session share _uid_ses\.$id;" ;;
        login) echo "^ok +session  .*keyring [0-9]+ _ses, uid $id, .*, links the user keyring\)" ;;
        private) echo "^ok +session  .*keyring [0-9]+ _ses[^ ]*, uid $id, .*, does not link the user keyring\)" ;;
        foreign) echo "^warning +session  +session of uid 0, who can read the secrets in it and replace them; skr refuses to store in it;" ;;
    esac
}

# inherited USER: prints the class of a login that keeps the session of this script's caller, and the word shared,
# because two such logins share it.
inherited() {
    if [ "$outer" = none ]; then
        echo none shared
    elif [ "$1" = root ]; then
        echo private shared
    else
        echo foreign shared
    fi
}
