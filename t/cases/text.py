# text.py
def f():
    a = 1

    b = 2

    return a + b
for i in range(2):
    print(f() + i)

    print("-")
print("done")
s = """```python
x = 1
```"""
print(len(s), s.count("`"))
python_version = 3
print(python_version)