def inner(n):
    return 1 // n


def outer():
    return inner(0)


print("before")
outer()
