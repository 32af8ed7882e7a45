print("skr")
