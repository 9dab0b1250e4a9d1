print("a")
print("b")
for i in range(2):
    i * 10
"x" + "y"
