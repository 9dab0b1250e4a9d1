print("a megabyte")
"0123456789" * 100_000
