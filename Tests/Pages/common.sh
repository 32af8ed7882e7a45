# The BASH_ENV of every example. Sets the variables that the pages' readers have.
export TOKEN=tok3n ROLE=arn:aws:iam::1:role/deploy PAGER=cat VAULT_ADDR=https://example.com
export PAGE_SETUP=${BASH_ENV%/*}
unset BASH_ENV
export PATH=$HOME/.local/bin:$PATH
