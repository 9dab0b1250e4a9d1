print("ok")
[float("nan"), float("inf"), {"k": float("-inf")}]
