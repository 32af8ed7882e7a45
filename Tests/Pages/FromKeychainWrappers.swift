// PAGE
precondition(token == "s3cret" && data == Array("s3cret".utf8) && isThere && attributes?.size == 6 && all == [item])
precondition(password == "pw" && logins == [login] && code == "12345" && isStored && keys == [item])
precondition(text == "hello world" && bytes?.count == 11 && flag == true && names == [item])
