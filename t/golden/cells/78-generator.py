def count(n):
    for i in range(n):
        yield i


g = count(3)
print(next(g), list(g))
count
