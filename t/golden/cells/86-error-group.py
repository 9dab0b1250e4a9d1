def fail(n):
    raise ValueError(f"number {n}")


caught = []
for i in range(2):
    try:
        fail(i)
    except ValueError as e:
        caught.append(e)
raise ExceptionGroup("several", [*caught, TypeError("a type")])
