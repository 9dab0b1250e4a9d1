display(1)
print("between")
display("two", [3], {"four": 4})
5
