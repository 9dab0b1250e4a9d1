# trace.py
def outer(n):
    return inner(n)

def inner(n):
    return 10 // n

print("before")
try:
    outer(0)
except ZeroDivisionError as e:
    raise KeyError("no rate for zone 7") from e
