# Nothing to prepare.
# PAGE
fish --no-execute config.fish
