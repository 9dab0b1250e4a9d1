class Name:
    def __repr__(self):
        return "Name(caf\udce9)"


print("before")
Name()
