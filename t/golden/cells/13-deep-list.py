x = []
for i in range(60):
    x = [i, x]
x
