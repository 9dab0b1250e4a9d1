print("only")
