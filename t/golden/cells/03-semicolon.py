print("shown")
x = [1, 2, 3]
x;
