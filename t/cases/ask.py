name = input("who? ")
print("hello", name)
